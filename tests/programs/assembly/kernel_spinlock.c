// check: safe
// A spinlock with jumps, as kernels once had it.
#include <assert.h>
#include <pthread.h>

static volatile signed char lock = 1;
static int data;

static void spin_lock(volatile signed char *l) {
    __asm__ volatile("1:\tlock; decb %0\n\tjns 3f\n2:\trep; nop\n\tcmpb $0, %0\n\tjle 2b\n\tjmp 1b\n3:\n\t"
                     : "+m"(*l) : : "memory");
}

static void spin_unlock(volatile signed char *l) { __asm__ volatile("movb $1, %0" : "=m"(*l) : : "memory"); }

static void *work(void *arg) {
    spin_lock(&lock);
    data++;
    spin_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(data == 2);
    return 0;
}
