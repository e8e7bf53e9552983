// check: safe
// args: --engine lazy
#include <assert.h>

short input(void);

int main(void) {
    int x = input();
    if (x > -200 && x < 200)
        assert(x * x != 50);
    return 0;
}
