// check: unsafe deadlock
// The handler takes a mutex that the thread it interrupts may hold.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void handler(int number) {
    pthread_mutex_lock(&lock); //~ violation
    entries++;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    signal(SIGALRM, handler);
    alarm(1);
    pthread_mutex_lock(&lock);
    entries++;
    pthread_mutex_unlock(&lock);
    return 0;
}
