// check: safe
// assumption: writing, closing and removing files succeeds (--may-fail files)
// headline auto explicit --may-fail files: unsafe (assertion at output_is_looked_at.c:9)
// Only who looks at what printf returns depends on it.
#include <assert.h>
#include <stdio.h>

int main(void) {
    assert(printf("hello\n") >= 0);
    return 0;
}
