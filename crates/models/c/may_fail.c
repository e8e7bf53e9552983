/* Groups of calls that fail as the standard says, where --may-fail names them; FAILS asks. */
#include "internal.h"

int __selvedge_option_may_fail_create = 0;
int __selvedge_option_may_fail_malloc = 0;
int __selvedge_option_may_fail_init = 0;
int __selvedge_option_may_fail_files = 0;
int __selvedge_option_may_fail_wait = 0;

#define FAILS(group) (__selvedge_option_may_fail_##group && __selvedge_nondet_bool())
