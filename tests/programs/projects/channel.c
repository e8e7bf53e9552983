// check: safe
// A channel of one place between two threads.
// check -DNOBODY_WAITS: unsafe deadlock
// The reader does not say that it waits, so that the sender does not wake it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct {
    void **data;
    int size, next, capacity;
} queue_t;
typedef struct {
    queue_t *queue;
    pthread_mutex_t m_mu;
    pthread_cond_t r_cond, w_cond;
    int closed;
    int r_waiting, w_waiting;
} chan_t;
chan_t *chan_init(size_t capacity) {
    chan_t *c = malloc(sizeof *c);
    if (!c) {
        errno = ENOMEM;
        return NULL;
    }
    c->queue = malloc(sizeof *c->queue);
    c->queue->data = malloc(capacity * sizeof(void *));
    c->queue->size = c->queue->next = 0;
    c->queue->capacity = capacity;
    if (pthread_mutex_init(&c->m_mu, NULL) != 0) {
        free(c);
        return NULL;
    }
    pthread_cond_init(&c->r_cond, NULL);
    pthread_cond_init(&c->w_cond, NULL);
    c->closed = 0;
    c->r_waiting = c->w_waiting = 0;
    return c;
}
void chan_dispose(chan_t *c) {
    free(c->queue->data);
    free(c->queue);
    pthread_mutex_destroy(&c->m_mu);
    pthread_cond_destroy(&c->r_cond);
    pthread_cond_destroy(&c->w_cond);
    free(c);
}
int chan_close(chan_t *c) {
    int s = 0;
    pthread_mutex_lock(&c->m_mu);
    if (c->closed) {
        s = -1;
        errno = EPIPE;
    } else {
        c->closed = 1;
        pthread_cond_broadcast(&c->r_cond);
        pthread_cond_broadcast(&c->w_cond);
    }
    pthread_mutex_unlock(&c->m_mu);
    return s;
}
int chan_send(chan_t *c, void *d) {
    pthread_mutex_lock(&c->m_mu);
    while (c->queue->size == c->queue->capacity) {
        c->w_waiting++;
        pthread_cond_wait(&c->w_cond, &c->m_mu);
        c->w_waiting--;
    }
    int pos = (c->queue->next + c->queue->size) % c->queue->capacity;
    c->queue->data[pos] = d;
    c->queue->size++;
    if (c->r_waiting > 0)
        pthread_cond_signal(&c->r_cond);
    pthread_mutex_unlock(&c->m_mu);
    return 0;
}
int chan_recv(chan_t *c, void **d) {
    pthread_mutex_lock(&c->m_mu);
    while (c->queue->size == 0) {
        if (c->closed) {
            pthread_mutex_unlock(&c->m_mu);
            errno = EPIPE;
            return -1;
        }
#ifndef NOBODY_WAITS
        c->r_waiting++;
#endif
        pthread_cond_wait(&c->r_cond, &c->m_mu);
#ifndef NOBODY_WAITS
        c->r_waiting--;
#endif
    }
    *d = c->queue->data[c->queue->next];
    c->queue->next = (c->queue->next + 1) % c->queue->capacity;
    c->queue->size--;
    if (c->w_waiting > 0)
        pthread_cond_signal(&c->w_cond);
    pthread_mutex_unlock(&c->m_mu);
    return 0;
}
static chan_t *messages;
static void *ping(void *x) {
    for (int i = 0; i < 3; i++)
        chan_send(messages, "ping");
    chan_close(messages);
    return NULL;
}
int main(void) {
    messages = chan_init(1);
    pthread_t th;
    pthread_create(&th, NULL, ping, NULL);
    void *m;
    int n = 0;
    while (chan_recv(messages, &m) == 0) {
        assert(strcmp(m, "ping") == 0);
        n++;
    }
    printf("%d\n", n);
    assert(n == 3);
    pthread_join(th, NULL);
    chan_dispose(messages);
    return 0;
}
