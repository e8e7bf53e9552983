// producer_consumer.c, sequentialized by hand after figures 3 to 5 of Inverso et al. (CAV 2014): unwind 2,
// ROUNDS rounds. What a careful person would write, to compare the generated C with.
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define T 5
#define FREE 0
#define assume(c) __CPROVER_assume(c)
#define assert(c) __CPROVER_assert(c, #c)
#define G(L) assume(cs >= L);
#define J(A, B)                  \
    if (pc[ct] > A || A >= cs)   \
        goto L##B;

unsigned nondet_uint(void);

_Bool active[T] = {1, 0, 0, 0, 0};
void *arg[T];
unsigned cs, ct, pc[T], size[T] = {4, 11, 11, 4, 4};

int lock = FREE, items;

static void pthread_mutex_lock(int *m) {
    assume(*m == FREE);
    *m = ct + 1;
}

static void pthread_mutex_unlock(int *m) {
    assert(*m == ct + 1);
    *m = FREE;
}

static void pthread_create(unsigned id, void *a) {
    active[id] = 1;
    arg[id] = a;
}

static void producer_1(void *a) {
    static int todo, now;
    J(0, 1) todo = *(int *)a;
L1: J(1, 2) pthread_mutex_lock(&lock);
L2: J(2, 3) now = items;
    if (!(now > 0)) goto otherwise;
L3: J(3, 4) items = now + 1;
    goto done;
otherwise: G(4)
L4: J(4, 5) items = 0;
    if (!(todo > 0)) goto done;
L5: J(5, 6) now = items;
L6: J(6, 7) items = now + 1; todo--;
    if (!(todo > 0)) goto done;
L7: J(7, 8) now = items;
L8: J(8, 9) items = now + 1; todo--;
    assume(!(todo > 0));
done: G(9)
L9: J(9, 10) pthread_mutex_unlock(&lock);
    goto end;
end: G(10)
L10: J(10, 11)
L11: return;
}

static void producer_2(void *a) {
    static int todo, now;
    J(0, 1) todo = *(int *)a;
L1: J(1, 2) pthread_mutex_lock(&lock);
L2: J(2, 3) now = items;
    if (!(now > 0)) goto otherwise;
L3: J(3, 4) items = now + 1;
    goto done;
otherwise: G(4)
L4: J(4, 5) items = 0;
    if (!(todo > 0)) goto done;
L5: J(5, 6) now = items;
L6: J(6, 7) items = now + 1; todo--;
    if (!(todo > 0)) goto done;
L7: J(7, 8) now = items;
L8: J(8, 9) items = now + 1; todo--;
    assume(!(todo > 0));
done: G(9)
L9: J(9, 10) pthread_mutex_unlock(&lock);
    goto end;
end: G(10)
L10: J(10, 11)
L11: return;
}

static void consumer_1(void) {
    static int seen, now;
    J(0, 1) seen = items; assume(seen > 0);
L1: J(1, 2) now = items;
L2: J(2, 3) items = now - 1;
L3: J(3, 4) now = items; assert(now >= 0);
    goto end;
end: G(4)
L4: return;
}

static void consumer_2(void) {
    static int seen, now;
    J(0, 1) seen = items; assume(seen > 0);
L1: J(1, 2) now = items;
L2: J(2, 3) items = now - 1;
L3: J(3, 4) now = items; assert(now >= 0);
    goto end;
end: G(4)
L4: return;
}

static void main_thread(void) {
    static int one = 1, two = 2;
    J(0, 1) pthread_create(1, &one);
L1: J(1, 2) pthread_create(2, &two);
L2: J(2, 3) pthread_create(3, 0);
L3: J(3, 4) pthread_create(4, 0);
    goto end;
end: G(4)
L4: return;
}

#define TURN(thread, call)              \
    ct = thread;                        \
    if (active[ct]) {                   \
        cs = pc[ct] + nondet_uint();    \
        assume(cs >= pc[ct] && cs <= size[ct]); \
        call;                           \
        pc[ct] = cs;                    \
    }

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        TURN(0, main_thread())
        TURN(1, producer_1(arg[1]))
        TURN(2, producer_2(arg[2]))
        TURN(3, consumer_1())
        TURN(4, consumer_2())
    }
    return 0;
}
