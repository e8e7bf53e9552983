// property: race
// Bytes are sent when the thread that writes them has ended.
// The twin: nobody waits for it.
#include <pthread.h>
#include <unistd.h>

static char bytes[8];

static void *writer(void *arg) {
    bytes[1] = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
#ifndef TWIN
    pthread_join(t, 0);
#endif
    write(1, bytes, sizeof bytes);
    return 0;
}
