// check: unsafe assertion
// args: --memory-model pso
// headline lazy cbmc --rounds 3 --unwind 2: unsafe (assertion at c_publication.c:22)
// The flag overtakes both fields of the message.
#include <assert.h>
#include <pthread.h>

static struct { short kind; int value; } message;
static int ready;

static void *writer(void *unused)
{
    message.kind = 3;
    message.value = 4;
    ready = 1;
    return unused;
}

static void *reader(void *unused)
{
    if (ready)
        assert(message.kind == 3 && message.value == 4); //~ violation
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
