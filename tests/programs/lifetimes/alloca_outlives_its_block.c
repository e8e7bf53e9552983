// check: safe
// headline explicit lazy tree: safe
// What alloca returns is there until the function returns, whatever block called it.
#include <alloca.h>

int main(void) {
    int *p = 0;
    for (int i = 0; i < 2; i++) {
        int x = i, *q = &x;
        if (i == 0) {
            p = alloca(sizeof *p);
            *p = *q;
        }
    }
    return *p;
}
