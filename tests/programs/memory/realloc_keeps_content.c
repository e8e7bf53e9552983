// check: safe
// args: --property assertion,memory,leak
// A growing array.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *a = NULL;
    size_t room = 0, n = 0;
    for (int i = 0; i < 5; i++) {
        if (n == room) {
            room = room ? room * 2 : 1;
            a = realloc(a, room * sizeof *a);
        }
        a[n++] = i * i;
    }
    assert(room == 8);
    for (int i = 0; i < 5; i++)
        assert(a[i] == i * i);
    a = realloc(a, 2 * sizeof *a);
    assert(a[0] == 0 && a[1] == 1);
    free(a);
    return 0;
}
