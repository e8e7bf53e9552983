// check: safe
// args: --ltl F(end)
// lazy: skip a formula
#include <pthread.h>
int x;
void *thread(void *arg) {
    for (int i = 0; i < 3; i++)
        x++;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    x--;
    pthread_join(t, 0);
    return 0;
}
