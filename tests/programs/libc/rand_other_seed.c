// check: unsafe assertion
// Another seed may give another number.
#include <stdlib.h>
#include <assert.h>
int main(void) { srand(5); int a = rand(); srand(6); assert(rand() == a); }
