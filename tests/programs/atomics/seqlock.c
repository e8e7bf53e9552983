// check: safe
// The reader takes its values only if the number was even and did not change meanwhile.
// check -DODD_IGNORED: unsafe assertion
// The reader forgets that an odd number means a writer at work.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int low, high;

void *writer(void *arg) {
    atomic_fetch_add(&sequence, 1);
    atomic_store(&low, 1);
    atomic_store(&high, 1);
    atomic_fetch_add(&sequence, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    unsigned before = atomic_load(&sequence);
    int a = atomic_load(&low), b = atomic_load(&high);
#ifdef ODD_IGNORED
    int complete = 1;
#else
    int complete = before % 2 == 0;
#endif
    if (complete && atomic_load(&sequence) == before)
        assert(a == b); //~ violation
    pthread_join(t, NULL);
    return 0;
}
