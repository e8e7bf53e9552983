// check: unsafe assertion
// args: --unknown-functions havoc
// It may call the function that it is given.
#include <assert.h>
static int g; static void cb(void) { g = 1; } void reg(void (*)(void)); int main(void) { reg(cb); assert(g == 0); }
