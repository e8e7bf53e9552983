// check: safe
// Each instruction by itself does what the processor does.
#include <assert.h>
#include <stdint.h>

static int exchange_add(int *p, int i) {
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(i), "+m"(*p) : : "memory", "cc");
    return i;
}

static int exchange_add_at(int *p, int i) {
    __asm__ volatile("lock xaddl %0,(%1)" : "+r"(i) : "r"(p) : "memory");
    return i;
}

static _Bool try_flag(int *p, int *old, int new) {
    _Bool done;
    __asm__ volatile("lock cmpxchgl %[new], %[at]" : "=@ccz"(done), [at] "+m"(*p), [old] "+a"(*old) : [new] "r"(new) : "memory");
    return done;
}

static _Bool ck_compare(char *p, char old, char new) {
    _Bool z;
    __asm__ volatile("lock cmpxchgb %2, %0; setz %1" : "+m"(*p), "=a"(z) : "q"(new), "a"(old) : "memory", "cc");
    return z;
}

struct pair { uint64_t a, b; } __attribute__((aligned(16)));

static _Bool compare_pair(struct pair *p, struct pair *old, uint64_t a, uint64_t b) {
    char z;
    __asm__ volatile("lock; cmpxchg16b %0; setz %1"
                     : "+m"(*p), "=q"(z), "+a"(old->a), "+d"(old->b) : "b"(a), "c"(b) : "memory", "cc");
    return z;
}

static int set_bit(long nr, unsigned long *words) {
    int old;
    __asm__ volatile("lock; btsq %2,%1\n\tsbbl %0,%0" : "=r"(old), "+m"(*words) : "Ir"(nr) : "memory");
    return old;
}

static unsigned char test_and_set(unsigned char *p) {
    unsigned char old;
    __asm__ volatile("movb $1, %%al; xchgb %%al, (%1); movb %%al, %0" : "=r"(old) : "r"(p) : "eax", "memory");
    return old;
}

static int drop(int *p) {
    __asm__ goto("lock; decl %0; jz %l1" : : "m"(*p) : "memory", "cc" : zero);
    return 0;
zero:
    return 1;
}

static int compare(int a, int b) {
    unsigned char less, below;
    __asm__("cmpl %3, %2\n\tsetl %0\n\tsetb %1" : "=q"(less), "=q"(below) : "r"(a), "r"(b) : "cc");
    return less * 2 + below;
}

static void *swap(void **p, void *v) {
    __asm__ volatile("xchgq %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

int main(void) {
    int x = 5, old = 9;
    assert(exchange_add(&x, 3) == 5 && x == 8 && exchange_add_at(&x, -1) == 8 && x == 7);
    assert(!try_flag(&x, &old, 1) && old == 7 && try_flag(&x, &old, 1) && x == 1);
    char c = 3;
    assert(!ck_compare(&c, 4, 5) && ck_compare(&c, 3, 5) && c == 5);
    struct pair p = {1, 2}, seen = {1, 3};
    assert(!compare_pair(&p, &seen, 7, 8) && seen.a == 1 && seen.b == 2);
    assert(compare_pair(&p, &seen, 7, 8) && p.a == 7 && p.b == 8);
    unsigned long words[2] = {0, 0};
    assert(set_bit(3, words) == 0 && set_bit(3, words) == -1 && words[0] == 8);
    assert(set_bit(65, words) == 0 && words[1] == 2);
    unsigned char b = 0;
    assert(test_and_set(&b) == 0 && test_and_set(&b) == 1);
    int count = 2;
    assert(!drop(&count) && drop(&count) && count == 0);
    assert(compare(-1, 1) == 2 && compare(1, -1) == 1 && compare(1, 2) == 3 && compare(2, 2) == 0);
    void *place = &x;
    assert(swap(&place, &c) == &x && place == &c);
    short s = 1;
    __asm__ volatile("lock; addw %w1,%0" : "+m"(s) : "ir"((short)4));
    __asm__ volatile("lock; orb %b1,%0" : "+m"(c) : "iq"((char)8));
    __asm__ volatile("lock; notl %0" : "+m"(x));
    assert(s == 5 && c == 13 && x == -2);
    __asm__ volatile("lock; addl $0,-4(%%rsp)" ::: "memory", "cc");
    __asm__ volatile("mfence\n\tlfence; sfence" ::: "memory");
    __builtin_ia32_pause();
    return 0;
}
