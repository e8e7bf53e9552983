// An array of many values that stay open until somebody looks: each costs the same, however many are open already.
// check: safe
// args: --property memory --time-limit 20
#include <pthread.h>
#include <stdlib.h>

enum { COUNT = 200000 };

static void *count_up(void *argument) {
    int *values = argument;
    for (int i = 0; i < 100; i++) values[i]++;
    return 0;
}

int main(void) {
    int *values = malloc(COUNT * sizeof *values);
    for (int i = 0; i < COUNT; i++) values[i] = rand() % COUNT;
    pthread_t thread;
    pthread_create(&thread, 0, count_up, values);
    count_up(values + 5000);
    pthread_join(thread, 0);
    for (int i = 1; i < COUNT; i++)
        if (values[i - 1] > values[i]) return 1;
    return 0;
}
