// check: safe
// headline explicit lazy tree: safe
// Both threads take the lock with the lower address first.
#include <pthread.h>

struct account {
    pthread_mutex_t m;
    int money;
};
static struct account a = {PTHREAD_MUTEX_INITIALIZER, 5}, b = {PTHREAD_MUTEX_INITIALIZER, 5};

static void transfer(struct account *from, struct account *to) {
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->m);
    pthread_mutex_lock(&second->m);
    from->money--;
    to->money++;
    pthread_mutex_unlock(&second->m);
    pthread_mutex_unlock(&first->m);
}

static void *worker(void *arg) {
    transfer(&a, &b);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    transfer(&b, &a);
    pthread_join(t, 0);
    return a.money - 5;
}
