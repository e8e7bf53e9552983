// check: safe
// headline explicit lazy tree: safe
#include <assert.h>

int main(void) {
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0)
            x = 5;
        else
            x = 4 + i;
        assert(x == 5);
    }
    return 0;
}
