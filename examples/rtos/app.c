// A program for an operating system of one's own, with its model beside it.
//
//     selvedge check examples/rtos/app.c --model examples/rtos/model.c
//
// What to look for: the second task releases what the first one holds, which the model calls a misuse.
#include <assert.h>

struct rtos_mutex {
    int taken;
};

void rtos_lock(struct rtos_mutex *mutex);
void rtos_unlock(struct rtos_mutex *mutex);
void rtos_start(void (*task)(void));

static struct rtos_mutex mutex;
static int count;

static void careful(void) {
    rtos_lock(&mutex);
    count++;
    rtos_unlock(&mutex);
}

static void careless(void) {
    rtos_unlock(&mutex);
    careful();
}

int main(void) {
    rtos_start(careful);
    rtos_start(careless);
}
