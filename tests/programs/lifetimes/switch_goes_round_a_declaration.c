// check: safe
// headline explicit lazy tree: safe
// The object is there from the entry into the block on, also if its declaration is jumped over.
#include <assert.h>

static void set(int *p) { *p = 2; }

int main(void) {
    for (int i = 0; i < 2; i++)
        switch (i) {
            int z;
        case 0:
            set(&z);
            assert(z == 2);
            break;
        case 1:
            z = 3;
            assert(z == 3);
        }
    return 0;
}
