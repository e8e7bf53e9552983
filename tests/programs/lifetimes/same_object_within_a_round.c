// check: safe
// headline explicit lazy tree: safe
#include <assert.h>

int main(void) {
    int *p = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        p = &x;
        assert(*p == i);
    }
    return 0;
}
