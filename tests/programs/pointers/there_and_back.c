// check: safe
// headline explicit lazy tree: safe
// What real programs do with pointers and their bits.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct node {
    int value;
    struct node *next;
};

struct outer {
    int before[3];
    struct node node;
};

struct outer o;
int a[8];

int main(void) {
    struct node *n = &o.node;
    struct outer *around = (struct outer *)((char *)n - offsetof(struct outer, node));
    around->before[1] = 5;
    assert(o.before[1] == 5);

    int *one_based = a - 1;
    one_based[1] = 7;
    assert(a[0] == 7);

    int *far = a + 2000;
    far -= 1999;
    *far = 3;
    assert(a[1] == 3);

    uintptr_t tagged = (uintptr_t)n | 1;
    assert((struct node *)(tagged & ~(uintptr_t)1) == n);

    uintptr_t both = (uintptr_t)&a[0] ^ (uintptr_t)&a[5];
    *(int *)((uintptr_t)&a[0] ^ both) = 9;
    assert(a[5] == 9);

    char *null = 0;
    null -= 16;
    null += 16;
    assert(null == 0);

    assert(&a[5] - &a[2] == 3);
    assert((char *)&a[5] > (char *)&a[4]);
    return 0;
}
