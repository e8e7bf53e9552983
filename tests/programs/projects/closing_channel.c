// check: safe
// headline explicit -DBUG_UNLOCK: unsafe (lock at closing_channel.c:82)
// headline explicit -DBUG_INDEX: unsafe (memory at closing_channel.c:71)
// headline explicit -DBUG_WAITING: unsafe (deadlock at closing_channel.c:97)
// headline explicit -DBUG_CLOSE: unsafe (deadlock at closing_channel.c:100)
// lazy: skip the searches of many engines would take minutes
// A channel that can be closed. Planted: a second unlock on the way out, an index that does not wrap, receivers that are not counted, a
// close that wakes one receiver only.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <assert.h>

typedef struct {
    void **data;
    size_t cap, len, head;
    int closed;
    int r_waiting, w_waiting;
    pthread_mutex_t mu;
    pthread_cond_t r, w;
} chan_t;

chan_t *chan_init(size_t cap)
{
    chan_t *c = malloc(sizeof(chan_t));
    if (!c) { errno = ENOMEM; return NULL; }
    memset(c, 0, sizeof *c);
    c->data = malloc(cap * sizeof(void *));
    if (!c->data) { free(c); errno = ENOMEM; return NULL; }
    c->cap = cap;
    if (pthread_mutex_init(&c->mu, NULL) != 0) { free(c->data); free(c); return NULL; }
    pthread_cond_init(&c->r, NULL);
    pthread_cond_init(&c->w, NULL);
    return c;
}

void chan_dispose(chan_t *c)
{
    pthread_cond_destroy(&c->r);
    pthread_cond_destroy(&c->w);
    pthread_mutex_destroy(&c->mu);
    free(c->data);
    free(c);
}

int chan_send(chan_t *c, void *v)
{
    pthread_mutex_lock(&c->mu);
    if (c->closed) {
        pthread_mutex_unlock(&c->mu);
#ifdef BUG_UNLOCK
        goto out;
#else
        errno = EPIPE;
        return -1;
#endif
    }
    while (c->len == c->cap && !c->closed) {
        c->w_waiting++;
        pthread_cond_wait(&c->w, &c->mu);
        c->w_waiting--;
    }
    if (c->closed) {
        pthread_mutex_unlock(&c->mu);
        errno = EPIPE;
        return -1;
    }
#ifdef BUG_INDEX
    c->data[c->head + c->len] = v;
#else
    c->data[(c->head + c->len) % c->cap] = v;
#endif
    c->len++;
    if (c->r_waiting > 0)
        pthread_cond_signal(&c->r);
    pthread_mutex_unlock(&c->mu);
    return 0;
#ifdef BUG_UNLOCK
out:
    pthread_mutex_unlock(&c->mu);
    return -1;
#endif
}

int chan_recv(chan_t *c, void **v)
{
    pthread_mutex_lock(&c->mu);
    while (c->len == 0) {
        if (c->closed) {
            pthread_mutex_unlock(&c->mu);
            errno = EPIPE;
            return -1;
        }
#ifdef BUG_WAITING
        pthread_cond_wait(&c->r, &c->mu);
#else
        c->r_waiting++;
        pthread_cond_wait(&c->r, &c->mu);
        c->r_waiting--;
#endif
    }
    *v = c->data[c->head];
    c->head = (c->head + 1) % c->cap;
    c->len--;
    if (c->w_waiting > 0)
        pthread_cond_signal(&c->w);
    pthread_mutex_unlock(&c->mu);
    return 0;
}

void chan_close(chan_t *c)
{
    pthread_mutex_lock(&c->mu);
    c->closed = 1;
#ifdef BUG_CLOSE
    pthread_cond_signal(&c->r);
#else
    pthread_cond_broadcast(&c->r);
#endif
    pthread_cond_broadcast(&c->w);
    pthread_mutex_unlock(&c->mu);
}

struct reader { chan_t *c; int got; };
static void *reader(void *arg)
{
    struct reader *r = arg;
    void *v;
    while (chan_recv(r->c, &v) == 0) {
        r->got++;
        free(v);
    }
    return NULL;
}

int main(void)
{
    chan_t *c = chan_init(2);
    assert(c);
    struct reader rs[2] = {{c, 0}, {c, 0}};
    pthread_t th[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&th[i], NULL, reader, &rs[i]);
    for (int i = 0; i < 3; i++)
        chan_send(c, strdup("message"));
    chan_close(c);
    char *late = strdup("late");
    if (chan_send(c, late) != 0)
        free(late);
    for (int i = 0; i < 2; i++)
        pthread_join(th[i], NULL);
    printf("%d + %d\n", rs[0].got, rs[1].got);
    assert(rs[0].got + rs[1].got == 3);
    chan_dispose(c);
    return 0;
}
