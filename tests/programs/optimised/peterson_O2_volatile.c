// check: safe
// args: --invariant exclusion --opt O2 -DSHARED=volatile
// lazy: skip an invariant
#include "../../../examples/peterson.c"
