// check: unsafe assertion
// args: --engine lazy
// A line of input has any text; its length is right.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[6];
    while (fgets(line, sizeof line, stdin)) {
        assert(strlen(line) >= 1 && strlen(line) < sizeof line);
        if (line[0] == 'q')
            assert(line[1] != 'x'); //~ violation
    }
    return 0;
}
