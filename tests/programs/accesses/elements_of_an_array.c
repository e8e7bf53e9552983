// check: safe
// Elements of an array, and members behind pointers into its middle, lie as their types promise.
#include <assert.h>
#include <pthread.h>

static struct item {
    short kind;
    int number;
    long amount;
} items[3];

static void set(struct item *item, int *number) {
    item->amount = -1;
    *number = -1;
}

static void *writer(void *arg) {
    for (int i = 0; i < 2; i++)
        set(&items[i + 1], &items[i].number);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    struct item *item = &items[1];
    long amount = item->amount;
    int number = item->number;
    assert(amount == 0 || amount == -1);
    assert(number == 0 || number == -1);
    pthread_join(thread, NULL);
    return 0;
}
