// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) { return arg; }
struct pool { long n; pthread_t *ids; };
int main(void) {
    struct pool pool = { 1, malloc(sizeof(pthread_t)) };
    pthread_create(&pool.ids[0], 0, work, 0);
    pthread_join(pool.ids[0], 0);
    pthread_t *more = realloc(pool.ids, 2 * sizeof *more);
    if (!more) { free(pool.ids); return 0; }
    pool.ids = more;
    pthread_create(&more[1], 0, work, 0);
    assert(more[0] != more[1]); //~ violation
    pthread_join(more[1], 0);
    free(more);
    return 0;
}
