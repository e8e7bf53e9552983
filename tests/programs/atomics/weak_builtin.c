// check: unsafe assertion
// GNU's builtin with its weak flag may fail for no reason, too.
#include <assert.h>
int x;
int main(void) { int e = 0; assert(__atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5)); }
