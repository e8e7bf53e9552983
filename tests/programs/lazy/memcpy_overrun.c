// check: unsafe memory
// args: --engine lazy --unwind 2
#include <string.h>

unsigned input(void);

int main(void) {
    char to[8], from[16] = "fifteen letters";
    unsigned n = input();
    if (n <= 9)
        memcpy(to, from, n); //~ violation
    return 0;
}
