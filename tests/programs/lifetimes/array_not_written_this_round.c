// check: unsafe assertion
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        int x[3];
        int *p = x;
        if (i == 0)
            p[0] = p[1] = p[2] = 5;
        assert(p[1] == 5); //~ violation
    }
    return 0;
}
