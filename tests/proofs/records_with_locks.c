// property: race
// Records in an array, long or short, each with a lock for readers and writers. The twin writes as a reader.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct slot {
    int value;
    pthread_rwlock_t lock;
};

static struct slot many[1000];

static int look(struct slot *slot)
{
    pthread_rwlock_rdlock(&slot->lock);
    int value = slot->value;
#ifdef TWIN
    slot->value = value;
#endif
    pthread_rwlock_unlock(&slot->lock);
    return value;
}

static void *user(void *unused)
{
    for (;;) {
        struct slot *slot = &many[__VERIFIER_nondet_uint() % 1000];
        int value = look(slot);
        pthread_rwlock_wrlock(&slot->lock);
        slot->value = value + 1;
        pthread_rwlock_unlock(&slot->lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 1000; i++)
        pthread_rwlock_init(&many[i].lock, 0);
    for (;;)
        pthread_create(&thread, 0, user, 0);
}
