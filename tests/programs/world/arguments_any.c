// check: unsafe assertion
// args: --arg-any 2
// headline auto explicit lazy: unsafe (assertion at arguments_any.c:14)
// headline auto lazy --arg-any 1: safe
// The second argument may be anything, if there is one.
#include <assert.h>

int main(int argc, char **argv) {
    assert(argc >= 1 && argc <= 3 && !argv[argc]);
    if (argc < 2)
        return 0;
    assert(argv[1][0] != 'a' || argv[1][1] != 'b' || argv[1][4] == 0);
    if (argc == 3)
        assert(argv[2][0] != '-' || argv[2][1] != 'x'); //~ violation
    return 0;
}
