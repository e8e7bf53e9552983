// check: safe
// Every read-modify-write operation, and what it leaves behind.
#include <assert.h>
#include <stdatomic.h>

int main(void) {
    atomic_int x = 12;
    assert(atomic_fetch_add(&x, 3) == 12 && x == 15);
    assert(atomic_fetch_sub(&x, 5) == 15 && x == 10);
    assert(atomic_fetch_and(&x, 6) == 10 && x == 2);
    assert(atomic_fetch_or(&x, 5) == 2 && x == 7);
    assert(atomic_fetch_xor(&x, 3) == 7 && x == 4);
    assert(atomic_exchange(&x, -1) == 4 && atomic_load(&x) == -1);
    atomic_store_explicit(&x, 9, memory_order_release);
    assert(atomic_load_explicit(&x, memory_order_acquire) == 9);
    atomic_uchar c = 250;
    atomic_fetch_add(&c, 10);
    assert(c == 4);
    atomic_llong l = 1;
    atomic_fetch_sub(&l, 2);
    assert(l == -1);
    return 0;
}
