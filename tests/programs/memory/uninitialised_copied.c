// check: safe
// Bytes that were never written may be copied with the others.
#include <assert.h>
#include <string.h>

struct pair {
    char tag;
    int value;
};

int main(void) {
    struct pair a, b;
    a.tag = 't';
    a.value = 3;
    b = a;
    struct pair c;
    memcpy(&c, &b, sizeof c);
    assert(c.tag == 't' && c.value == 3);
    return 0;
}
