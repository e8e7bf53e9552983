// A lock-free "safe" stack, written from the description of the algorithm that circulates as a challenge
// for checkers: an array of cells linked into a free list by index, a count that is decremented last to
// take and checked first, and a cell marked as taken while its successor is exchanged for the head. It
// breaks with three threads and several preemptions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define CELLS 3
#define THREADS 3

struct cell {
    int value;
    atomic_int next;
};

static struct cell cells[CELLS];
static atomic_int head, count;

static int pop(void) {
    while (count > 1) {
        int first = head;
        int second = atomic_exchange(&cells[first].next, -1);
        if (second >= 0) {
            int expected = first;
            if (atomic_compare_exchange_strong(&head, &expected, second)) {
                atomic_fetch_sub(&count, 1);
                return first;
            }
            atomic_exchange(&cells[first].next, second);
        }
    }
    return -1;
}

static void push(int index) {
    int first = head;
    do
        cells[index].next = first;
    while (!atomic_compare_exchange_strong(&head, &first, index));
    atomic_fetch_add(&count, 1);
}

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 2; i++) {
        int element;
        while ((element = pop()) < 0)
            ;
        cells[element].value = me;
        assert(cells[element].value == me);
        push(element);
    }
    return NULL;
}

static int names[THREADS];

int main(void) {
    pthread_t threads[THREADS];
    count = CELLS;
    for (int i = 0; i < CELLS; i++)
        cells[i].next = i + 1 < CELLS ? i + 1 : -1;
    for (int i = 0; i < THREADS; i++) {
        names[i] = i;
        pthread_create(&threads[i], NULL, work, &names[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
