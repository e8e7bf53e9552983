// check: safe
#include <assert.h>
#include <stdint.h>

int array[4] = {1, 2, 3, 4};

int main(void) {
    uintptr_t address = (uintptr_t)&array[1];
    address += sizeof(int);
    int *p = (int *)address;
    assert(*p == 3 && p - array == 2);
    assert(((uintptr_t)array & 3) == 0);
    void *small = (void *)(intptr_t)-5;
    assert((intptr_t)small == -5);
    return 0;
}
