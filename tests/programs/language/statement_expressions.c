// check: safe
#include <assert.h>

#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })

int main(void) {
    int i = 3;
    assert(MAX(i++, 2) == 3 && i == 4);
    assert((i ?: 9) == 4);
    int sign = ({ int r; if (i > 0) r = 1; else r = -1; r; });
    assert(sign == 1);
    return 0;
}
