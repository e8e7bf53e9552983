// check: safe
// args: --arg-any 1:2
// assumption: the program is run with at most 1 argument of at most 2 bytes each
// headline auto explicit lazy: safe
// headline auto explicit lazy --strict: unknown (assumed: the program is run with at most 1 argument of at most 2 bytes each)
// Longer arguments were not looked at, which is said.
#include <assert.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc == 2)
        assert(strlen(argv[1]) <= 2);
    return 0;
}
