// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// Runs in which the assumption does not hold end there, for all threads.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int condition);
int flag, data;

void *writer(void *arg) {
    flag = 1;
    data = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    __VERIFIER_assume(flag == 1);
    assert(data == 1); //~ violation
    return 0;
}
