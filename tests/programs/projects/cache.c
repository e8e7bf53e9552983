// check: safe
// A table under a read-write lock.
// check -Dpthread_rwlock_wrlock=pthread_rwlock_rdlock: unsafe
// Entries are inserted under a read lock.
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define BUCKETS 1
struct entry {
    struct entry *next;
    char key[8];
    int value;
};
static struct entry *table[BUCKETS];
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static unsigned hash(const char *s) {
    unsigned h = 5381;
    for (; *s; s++)
        h = h * 33 + (unsigned char)tolower(*s);
    return h % BUCKETS;
}
static int get(const char *k, int *v) {
    int r = -1;
    pthread_rwlock_rdlock(&rw);
    for (struct entry *e = table[hash(k)]; e; e = e->next)
        if (!strcasecmp(e->key, k)) {
            *v = e->value;
            r = 0;
        }
    pthread_rwlock_unlock(&rw);
    return r;
}
static void put(const char *k, int v) {
    struct entry *e = malloc(sizeof *e);
    snprintf(e->key, sizeof e->key, "%s", k);
    e->value = v;
    unsigned h = hash(k);
    pthread_rwlock_wrlock(&rw);
    e->next = table[h];
    table[h] = e;
    pthread_rwlock_unlock(&rw);
}
static void *w(void *a) {
    put(a, (int)strlen(a));
    return NULL;
}
int main(int argc, char **argv) {
    pthread_t x, y;
    pthread_create(&x, NULL, w, "one");
    pthread_create(&y, NULL, w, "three");
    int v = 0;
    if (!get("ONE", &v) && v != 3)
        assert(0);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    if (get("three", &v) || v != 5)
        assert(0);
    for (int i = 0; i < BUCKETS; i++)
        while (table[i]) {
            struct entry *e = table[i];
            table[i] = e->next;
            free(e);
        }
    return 0;
}
