// check: safe
// headline explicit lazy tree: safe
// A jump back within the block makes no other object.
#include <assert.h>

int main(void) {
    int n = 0;
    {
        int x = 1, *p = &x;
    again:
        n++;
        if (n < 3)
            goto again;
        assert(*p == 1);
    }
    return 0;
}
