// check: unsafe assertion
// args: --engine lazy --unwind 1
// Nobody needs to say how often this loop runs.
#include <assert.h>

int main(void) {
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += i;
    assert(sum != 45); //~ violation
    return 0;
}
