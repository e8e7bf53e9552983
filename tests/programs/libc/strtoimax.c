// check: safe
// The greatest integer types.
#include <inttypes.h>
#include <assert.h>
int main(void) { assert(strtoimax("-7", 0, 10) == -7); assert(strtoumax("7", 0, 10) == 7); imaxdiv_t d = imaxdiv(7, 2); assert(d.quot == 3 && d.rem == 1); }
