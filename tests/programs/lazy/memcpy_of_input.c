// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>
#include <string.h>

int input(void);

struct pair { int a; int b; };

int main(void) {
    struct pair from = {input(), input()}, to;
    memcpy(&to, &from, sizeof to);
    if (to.a > 100 && to.b > 100 && to.a < 1000 && to.b < 1000)
        assert(to.a * to.b != 101 * 103); //~ violation
    return 0;
}
