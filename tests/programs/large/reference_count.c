// check: unsafe memory
// lazy: skip too large for small bounds
// Sixty-four threads take and drop references, a hundred times each. The count is read again after it was decremented.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 64, ROUNDS = 100 };

struct object {
    atomic_int references;
    int value;
};

static struct object *get(struct object *object)
{
    atomic_fetch_add(&object->references, 1);
    return object;
}

static void put(struct object *object)
{
    atomic_fetch_sub(&object->references, 1);
    if (object->references == 0) //~ violation
        free(object);            //~ violation
}

static void *use(void *argument)
{
    struct object *object = argument;
    for (int i = 0; i < ROUNDS; i++)
        put(get(object));
    put(object);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct object *object = malloc(sizeof *object);
    object->references = 1;
    object->value = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, get(object));
    put(object);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
