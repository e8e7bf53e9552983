// check: safe
// Which of two objects comes first is not known, and the sign of their difference does not say it either.
// check -DNUMBERS: unsafe assertion
// check -DPOINTERS: unsafe assertion
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    int *first = malloc(4 * sizeof *first), *second = malloc(sizeof *second);
#ifdef NUMBERS
    intptr_t apart = (intptr_t)first - (intptr_t)second;
    assert(apart < 0); //~ violation
#elif defined POINTERS
    assert(second - first > 0); //~ violation
#endif
    int *end = first + 4;
    assert(end - first == 4 && (intptr_t)first - (intptr_t)end < 0);
    free(first);
    free(second);
    return 0;
}
