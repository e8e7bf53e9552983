// check: safe
// sscanf reads what is there.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    int a, b, n;
    unsigned x;
    long l;
    char name[8], rest[8], c;
    assert(sscanf("12 -7 ff", "%d %d %x", &a, &b, &x) == 3 && a == 12 && b == -7 && x == 255);
    assert(sscanf("key=value", "%7[^=]=%7s%n", name, rest, &n) == 2 && !strcmp(name, "key") && !strcmp(rest, "value") && n == 9);
    assert(sscanf("90 x", "%ld%*c%c", &l, &c) == 2 && l == 90 && c == 'x');
    assert(sscanf("no", "%d", &a) == 0 && sscanf("", "%d", &a) == EOF);
    assert(sscanf("3,4", "%d;%d", &a, &b) == 1 && a == 3);
    return 0;
}
