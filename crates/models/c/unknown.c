/* Functions without a body that may write anything (see from_llvm/src/lower/unknown.rs). */
#include "internal.h"

/* Any bytes in the whole of an object, if there is one. Nobody can tell when, so it is no race. */
void __selvedge_havoc(void *object) {
    __selvedge_size size = __selvedge_object_size(object);
    if (!size)
        return;
    char *start = (char *)object - __selvedge_object_offset(object);
    __selvedge_atomic_begin();
    fill_with_anything(start, size);
    __selvedge_atomic_end();
}
