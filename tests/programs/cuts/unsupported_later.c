// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at unsupported_later.c:13)
// Main goes where bounded programs do not follow. The thread that it has created runs all the same.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

int x;
jmp_buf context;

void *worker(void *arg) {
    x++;
    assert(x == 1); //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    if (setjmp(context))
        return 0;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    longjmp(context, 1);
}
