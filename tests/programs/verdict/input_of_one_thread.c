// check: safe
// headline explicit: safe within bounds (some values of the input of the unmodelled function input() at input_of_one_thread.c:9)
// headline auto lazy: safe
// A formula without threads that no bound cuts says more than a search that tried some values of an input.
#include <assert.h>

unsigned input(void);

int main(void) { unsigned x = input(); assert(1000 / (x | 1) <= 1000); return 0; }
