// check: safe
// The value that a condition leaves out is the least that its type has, and there is no other.
#include <assert.h>
#include <pthread.h>

int later;
long long result;

long long least_or_more(void) { return later ? -9223372036854775807ll - 1 : 5000000000; }

void *set(void *unused)
{
    later = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    result = least_or_more();
    pthread_join(thread, 0);
    assert(result == -9223372036854775807ll - 1 || result == 5000000000);
    return 0;
}
