// A negative index, in an array of arrays.
// check: unsafe memory
// headline explicit lazy tree: unsafe (memory at before_a_table.c:16)
// headline cbmc --unwind 1: unsafe (memory at before_a_table.c:16)
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int (*numbers)[4] = malloc(3 * sizeof *numbers);
    if (!numbers)
        return 0;
    int index = __VERIFIER_nondet_int();
    if (index < -9 || index > 2)
        return 0;
    numbers[index][3] = 1; //~ violation
    free(numbers);
    return 0;
}
