// check: unsafe deadlock
#include <pthread.h>

int main(void) {
    pthread_join(pthread_self(), NULL); //~ violation
    return 0;
}
