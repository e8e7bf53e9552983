// Three philosophers, three forks; everyone picks up the left one first.
//
//     selvedge check examples/dining_philosophers.c
//
// What to look for: a deadlock. In the trace each thread holds one fork and waits for the next one, and
// the report says which thread waits where. Let the last philosopher pick up the right fork first, and
// the program is safe.
#include <pthread.h>
#include <stdint.h>

enum { PHILOSOPHERS = 3 };

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void *dine(void *arg) {
    intptr_t me = (intptr_t)arg;
    pthread_mutex_t *left = &forks[me], *right = &forks[(me + 1) % PHILOSOPHERS];
    pthread_mutex_lock(left);
    pthread_mutex_lock(right);
    meals[me]++;
    pthread_mutex_unlock(right);
    pthread_mutex_unlock(left);
    return NULL;
}

int main(void) {
    pthread_t threads[PHILOSOPHERS];
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (intptr_t i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
