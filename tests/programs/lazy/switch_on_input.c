// check: unsafe assertion
// args: --engine lazy --unwind 3
#include <assert.h>

int input(void);

int main(void) {
    int state = 0;
    for (int i = 0; i < 3; i++)
        switch (state * 10 + input()) {
        case 4:
            state = 1;
            break;
        case 17:
            state = 2;
            /* fall through */
        case 12:
            state++;
            break;
        default:
            state = 0;
        }
    assert(state != 3); //~ violation
    return 0;
}
