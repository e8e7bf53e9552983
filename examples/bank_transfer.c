// Two clerks move money between the same two accounts at the same time.
//
//     selvedge check examples/bank_transfer.c
//
// What to look for: the assertion at the end fails. In the trace one thread reads a balance, the other
// runs its whole transfer, and the first then writes back what it had computed from the old balance.
// Put a mutex around both lines of transfer() and check again: no interleaving is left that fails.
#include <assert.h>
#include <pthread.h>

static int savings = 100, current = 100;

static void transfer(int amount) {
    savings -= amount;
    current += amount;
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
