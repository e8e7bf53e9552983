// check: safe
// Each thread has its own context.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

void jump(jmp_buf context, int value) {
    longjmp(context, value);
}

void *worker(void *arg) {
    jmp_buf context;
    int value = *(int *)arg;
    int r = setjmp(context);
    if (r == 0)
        jump(context, value);
    assert(r == *(int *)arg);
    return NULL;
}

int main(void) {
    pthread_t t;
    int numbers[2] = {5, 6};
    pthread_create(&t, NULL, worker, &numbers[0]);
    worker(&numbers[1]);
    pthread_join(t, NULL);
    return 0;
}
