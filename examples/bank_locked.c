// The bank transfer again, with a mutex around what belongs together.
//
//     selvedge check examples/bank_locked.c
//
// What to look for: the verdict is "safe". Every interleaving was looked at, and no bound was needed.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;
static int savings = 100, current = 100;

static void transfer(int amount) {
    pthread_mutex_lock(&books);
    savings -= amount;
    current += amount;
    pthread_mutex_unlock(&books);
}

static void *clerk(void *arg) {
    transfer(*(int *)arg);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int ten = 10, twenty = 20;
    pthread_create(&first, NULL, clerk, &ten);
    pthread_create(&second, NULL, clerk, &twenty);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(savings + current == 200);
    return 0;
}
