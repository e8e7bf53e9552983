// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at not_written_this_round.c:11)
// Whatever the variable was in the round before, it is indeterminate again (C11 6.2.4p6).
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            x = 5;
        assert(x == 5); //~ violation
    }
    return 0;
}
