// check: unsafe memory
// check -DALIGNED: safe
// A pointer in a packed struct: who reads it while it is written may get a part of either.
#include <pthread.h>
#include <stdlib.h>

struct
#ifndef ALIGNED
    __attribute__((packed))
#endif
    box {
    char kind[5];
    int *value;
};

static struct box *box;
static int one = 1, more[2] = {2, 2};

static void *writer(void *arg) {
    box->value = &more[1];
    return arg;
}

int main(void) {
    pthread_t thread;
    box = malloc(sizeof *box);
    box->value = &one;
    pthread_create(&thread, NULL, writer, NULL);
    int *value = box->value;
    int seen = *value; //~ violation
    pthread_join(thread, NULL);
    free(box);
    return seen == 3;
}
