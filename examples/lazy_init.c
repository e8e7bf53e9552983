// A table that is made when it is first needed, with a check before the lock to save time.
//
//     selvedge check examples/lazy_init.c
//
// What to look for: the assertion fails. The pointer is published before the table is filled, so a thread
// that finds it set, and therefore skips the lock, can read a table that is not ready. Fill the table
// first and set the pointer last (as an atomic store), or use pthread_once.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct table {
    int size;
};

static struct table *table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct table *get_table(void) {
    if (table == NULL) {
        pthread_mutex_lock(&lock);
        if (table == NULL) {
            table = calloc(1, sizeof *table);
            table->size = 16;
        }
        pthread_mutex_unlock(&lock);
    }
    return table;
}

static void *user(void *arg) {
    assert(get_table()->size == 16);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
    user(NULL);
    pthread_join(thread, NULL);
    return 0;
}
