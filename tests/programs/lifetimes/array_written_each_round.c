// check: safe
// headline explicit lazy tree: safe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        int x[3];
        int *p = x;
        p[0] = p[1] = p[2] = 5;
        assert(p[1] == 5);
    }
    return 0;
}
