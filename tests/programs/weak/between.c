// check: safe
// Store buffering with something between each store and the load behind it: does that drain the buffer? What leaves stores
// in it under TSO leaves them under PSO, and what drains under PSO drains under TSO.
// headline explicit lazy tree --memory-model tso -DBETWEEN=0: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=0: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=1: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=1: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=2: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=2: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=3: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=3: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=4: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=4: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=5: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=5: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=6: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=6: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=7: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=7: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=8: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=8: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model tso -DBETWEEN=9: unsafe (assertion at between.c:219)
// headline explicit --reduction dpor --memory-model tso -DBETWEEN=9: unsafe (assertion at between.c:219)
// headline explicit --memory-model pso -DBETWEEN=2: unsafe (assertion at between.c:219)
// headline explicit --memory-model pso -DBETWEEN=4: unsafe (assertion at between.c:219)
// headline explicit --memory-model pso -DBETWEEN=5: unsafe (assertion at between.c:219)
// headline explicit lazy tree --memory-model pso -DBETWEEN=10: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=10: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=11: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=11: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=12: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=12: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=13: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=13: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=14: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=14: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=15: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=15: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=16: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=16: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=17: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=17: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=18: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=18: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=19: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=19: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=20: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=20: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=21: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=21: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=22: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=22: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=23: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=23: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=24: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=24: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=25: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=25: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=26: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=26: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=27: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=27: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=28: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=28: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=29: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=29: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=30: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=30: safe
// headline explicit lazy tree --memory-model pso -DBETWEEN=31: safe
// headline explicit --reduction dpor --memory-model pso -DBETWEEN=31: safe
// headline explicit --memory-model tso -DBETWEEN=10: safe
// headline explicit --memory-model tso -DBETWEEN=12: safe
// headline explicit --memory-model tso -DBETWEEN=16: safe
// headline explicit --memory-model tso -DBETWEEN=22: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef BETWEEN
#define BETWEEN 0
#endif

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x, y, first_saw, second_saw;
static volatile int elsewhere[2];
static int counters[2];
static atomic_int atomics[2];
static atomic_flag flags[2] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT};
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t shared_locks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_once_t once[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static pthread_spinlock_t spinning[2];
static pthread_barrier_t barriers[2];
static sem_t semaphores[2];

static void nothing(void)
{
}

static void *empty(void *unused)
{
    return unused;
}

static void between(int who)
{
    (void)who;
#if BETWEEN == 1
    atomic_thread_fence(memory_order_acquire);
#elif BETWEEN == 2
    atomic_thread_fence(memory_order_acq_rel);
#elif BETWEEN == 3
    __asm__ volatile("" ::: "memory");
#elif BETWEEN == 4
    elsewhere[who] = 1;
#elif BETWEEN == 5
    atomic_store_explicit(&atomics[who], 1, memory_order_release);
#elif BETWEEN == 6
    (void)atomic_load(&atomics[who]);
#elif BETWEEN == 7
    atomic_signal_fence(memory_order_seq_cst);
#elif BETWEEN == 8
    atomic_flag_clear_explicit(&flags[who], memory_order_relaxed);
#elif BETWEEN == 9
    __sync_lock_release(&counters[who]);
#elif BETWEEN == 10
    atomic_thread_fence(memory_order_seq_cst);
#elif BETWEEN == 11
    __sync_synchronize();
#elif BETWEEN == 12
    __sync_fetch_and_add(&counters[who], 1);
#elif BETWEEN == 13
    (void)atomic_flag_test_and_set_explicit(&flags[who], memory_order_relaxed);
#elif BETWEEN == 14
    int expected = 1;
    (void)atomic_compare_exchange_strong_explicit(&atomics[who], &expected, 2, memory_order_relaxed, memory_order_relaxed);
#elif BETWEEN == 15
    atomic_store(&atomics[who], 1);
#elif BETWEEN == 16
    (void)pthread_mutex_trylock(&locks[who]);
#elif BETWEEN == 17
    pthread_rwlock_rdlock(&shared_locks[who]);
    pthread_rwlock_unlock(&shared_locks[who]);
#elif BETWEEN == 18
    pthread_cond_signal(&conditions[who]);
#elif BETWEEN == 19
    pthread_once(&once[who], nothing);
#elif BETWEEN == 20
    pthread_barrier_wait(&barriers[who]);
#elif BETWEEN == 21
    (void)sem_trywait(&semaphores[who]);
#elif BETWEEN == 22
    pthread_t thread;
    pthread_create(&thread, 0, empty, 0);
    pthread_join(thread, 0);
#elif BETWEEN == 23
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_end();
#elif BETWEEN == 24
    int expected = 1;
    (void)atomic_compare_exchange_weak_explicit(&atomics[who], &expected, 2, memory_order_relaxed, memory_order_relaxed);
#elif BETWEEN == 25
    sem_post(&semaphores[who]);
#elif BETWEEN == 26
    pthread_cond_broadcast(&conditions[who]);
#elif BETWEEN == 27
    (void)pthread_spin_trylock(&spinning[who]);
#elif BETWEEN == 28
    __asm__ volatile("mfence" ::: "memory");
#elif BETWEEN == 29
    (void)pthread_rwlock_trywrlock(&shared_locks[who]);
#elif BETWEEN == 30
    (void)atomic_fetch_or_explicit(&atomics[who], 0, memory_order_relaxed);
#elif BETWEEN == 31
    atomic_flag_clear(&flags[who]);
#endif
}

static void *first(void *unused)
{
    x = 1;
    between(0);
    first_saw = y;
    return unused;
}

static void *second(void *unused)
{
    y = 1;
    between(1);
    second_saw = x;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int who = 0; who < 2; who++) {
        pthread_barrier_init(&barriers[who], 0, 1);
        sem_init(&semaphores[who], 0, 0);
        pthread_spin_init(&spinning[who], 0);
        // Tries fail.
        pthread_mutex_lock(&locks[who]);
        pthread_spin_lock(&spinning[who]);
#if BETWEEN == 29
        pthread_rwlock_rdlock(&shared_locks[who]);
#endif
    }
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    (void)empty;
    (void)nothing;
    assert(first_saw || second_saw); //~ violation
    return 0;
}
