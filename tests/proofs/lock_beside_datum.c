// property: race
// Each block has a lock of its own beside what it protects. In the twin the block is chosen again after its lock was taken.
#include <pthread.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct account {
    long number;
    pthread_mutex_t lock;
    long balance;
};

static struct account *accounts[50];

static void deposit(struct account *account, long amount)
{
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void *clerk(void *unused)
{
    for (;;) {
        struct account *account = accounts[__VERIFIER_nondet_uint() % 50];
        deposit(account, 10);
        pthread_mutex_lock(&account->lock);
#ifdef TWIN
        pthread_mutex_t *taken = &account->lock;
        account = accounts[account->number];
        account->balance -= 10;
        pthread_mutex_unlock(taken);
#else
        account->balance -= 10;
        pthread_mutex_unlock(&account->lock);
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 50; i++) {
        accounts[i] = malloc(sizeof(struct account));
        accounts[i]->number = i;
        accounts[i]->balance = 0;
        pthread_mutex_init(&accounts[i]->lock, 0);
    }
    for (;;)
        pthread_create(&thread, 0, clerk, 0);
}
