// check: safe
#include <assert.h>
#include <stdint.h>
#include <string.h>

struct __attribute__((packed)) record {
    char tag;
    int value;
    short tail;
};
struct aligned { _Alignas(16) char c; };

int main(void) {
    struct record r = {'a', 0x01020304, 5};
    unsigned char bytes[sizeof r];
    assert(sizeof r == 7);
    memcpy(bytes, &r, sizeof r);
    assert(bytes[1] == 4 && bytes[4] == 1 && bytes[5] == 5);
    r.value++;
    assert(r.value == 0x01020305 && r.tag == 'a' && r.tail == 5);
    struct aligned a;
    assert(((uintptr_t)&a & 15) == 0 && sizeof a == 16);
    return 0;
}
