// check: unsafe assertion
// args: --unknown-functions havoc
// It may write to all of a struct.
#include <assert.h>
struct s { int a, b; }; void f(struct s *); int main(void) { struct s s = {1, 2}; f(&s); assert(s.b == 2); }
