// check: safe
// Trees, tables and lists of <search.h>.
// check -DFORGOTTEN: unsafe leak
// args: --property leak
// check -DSHARED_TABLE: unsafe race
// args: --property race
// check -DFREED_KEY: unsafe memory
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *root;
static int visits;

static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

static void visit(const void *node, VISIT order, int depth) {
    (void)depth;
    if (order == postorder || order == leaf)
        visits = 10 * visits + **(int *const *)node;
}

static void *insert(void *key) {
    pthread_mutex_lock(&lock);
    int **found = tsearch(key, &root, compare);
    assert(found && *found == key);
    pthread_mutex_unlock(&lock);
#ifdef SHARED_TABLE
    ENTRY entry = {*(int *)key == 1 ? "one" : "three", key};
    hsearch(entry, ENTER);
#endif
    return NULL;
}

int main(void) {
    int keys[] = {3, 1}, wanted = 1, missing = 2;
    pthread_t threads[2];
    hcreate(4);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, insert, &keys[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    twalk(root, visit);
    assert(visits == 13 && **(int **)tfind(&wanted, &root, compare) == 1 && !tfind(&missing, &root, compare));
    assert(!tdelete(&missing, &root, compare) && tdelete(&keys[0], &root, compare));
#ifndef FORGOTTEN
    assert(tdelete(&keys[1], &root, compare) && !root);
#else
    root = NULL;
#endif
    char *key = malloc(2);
    key[0] = 'k', key[1] = 0;
    ENTRY entry = {key, keys}, other = {"other", NULL};
    assert(hsearch(entry, ENTER)->data == keys && hsearch(entry, FIND)->data == keys);
#ifdef FREED_KEY
    free(key);
    hsearch(other, FIND);
#else
    assert(!hsearch(other, FIND));
    free(key);
#endif
    hdestroy();
    struct { void *next, *previous; int value; } first = {.value = 1}, second = {.value = 2};
    insque(&first, NULL);
    insque(&second, &first);
    assert(first.next == &second && second.previous == &first && !second.next);
    remque(&second);
    assert(!first.next);
    return 0;
}
