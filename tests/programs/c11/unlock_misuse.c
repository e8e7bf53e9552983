// check: unsafe lock
#include <threads.h>

int main(void) {
    mtx_t m;
    mtx_init(&m, mtx_plain);
    mtx_unlock(&m); //~ violation
    return 0;
}
