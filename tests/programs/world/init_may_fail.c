// check: unsafe assertion
// args: --may-fail init,malloc,wait,files
// headline auto explicit: unsafe (assertion at init_may_fail.c:28)
// headline auto explicit -DCAREFUL: safe
// Whatever can fail, does in some run.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    pthread_mutex_t m;
    pthread_cond_t c;
    pthread_key_t key;
    sem_t s;
    if (pthread_mutex_init(&m, NULL) || pthread_cond_init(&c, NULL) || pthread_key_create(&key, NULL))
        return 1;
    if (sem_init(&s, 0, 1))
        return 1;
    void *p = malloc(1);
    if (!p)
        return 1;
    free(p);
    int waited = sem_wait(&s);
#ifndef CAREFUL
    assert(waited == 0 && fclose(stdout) == 0); //~ violation
#endif
    (void)waited;
    return 0;
}
