// check: safe
// Threads get a struct with a struct of functions in it, as drivers do.
#include <assert.h>
#include <pthread.h>

struct device;
struct operations {
    int (*read)(struct device *);
    void (*write)(struct device *, int);
};
struct device {
    const struct {
        struct operations normal, quiet;
    } *table;
    int quiet;
    int data;
};

static int plain_read(struct device *d) { return d->data; }
static void plain_write(struct device *d, int x) { d->data = x; }
static void no_write(struct device *d, int x) { (void)d, (void)x; }

static const struct { struct operations normal, quiet; } table = {
    .normal = {plain_read, plain_write},
    .quiet = {plain_read, no_write},
};

void *worker(void *arg) {
    struct device *d = arg;
    const struct operations *use = d->quiet ? &d->table->quiet : &d->table->normal;
    use->write(d, use->read(d) + 1);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct device first = {(const void *)&table, 0, 5}, second = {(const void *)&table, 1, 5};
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first.data == 6 && second.data == 5);
    return 0;
}
