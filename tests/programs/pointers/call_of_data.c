// check: unsafe memory
#include <stdint.h>

int data = 3;

int main(void) {
    void (*f)(void) = (void (*)(void))(intptr_t)&data;
    f(); //~ violation
    return 0;
}
