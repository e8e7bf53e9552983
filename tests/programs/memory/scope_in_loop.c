// check: safe
#include <assert.h>

int main(void) {
    int total = 0;
    for (int i = 0; i < 3; i++) {
        int inner[2] = {i, i};
        int *p = inner;
        total += p[0] + p[1];
    }
    assert(total == 6);
    return 0;
}
