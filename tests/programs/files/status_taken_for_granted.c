// check: unsafe assertion
// A file may be empty.
#include <assert.h>
#include <sys/stat.h>

int main(void) {
    struct stat s;
    if (stat("data", &s))
        return 1;
    assert(s.st_size > 0); //~ violation
    return 0;
}
