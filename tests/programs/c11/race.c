// check: unsafe assertion
#include <assert.h>
#include <threads.h>

int counter;

int worker(void *arg) {
    (void)arg;
    counter++;
    thrd_yield();
    return 0;
}

int main(void) {
    thrd_t t;
    thrd_create(&t, worker, NULL);
    counter++;
    thrd_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}
