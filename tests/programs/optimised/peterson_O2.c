// check: unsafe invariant
// args: --invariant exclusion --opt O2
// lazy: skip an invariant
#include "../../../examples/peterson.c"
