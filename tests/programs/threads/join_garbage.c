// check: unsafe thread
#include <pthread.h>

int main(void) {
    pthread_t t = 77;
    pthread_join(t, NULL); //~ violation
    return 0;
}
