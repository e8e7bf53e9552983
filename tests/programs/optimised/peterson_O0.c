// check: safe
// args: --invariant exclusion
// lazy: skip an invariant
#include "../../../examples/peterson.c"
