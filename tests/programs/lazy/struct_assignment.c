// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

unsigned input(void);

struct item { int key; short kind; struct { int x, y; } at; };

int main(void) {
    struct item items[3] = {{1, 2, {3, 4}}, {5, 6, {7, 8}}, {9, 10, {11, 12}}}, spare;
    unsigned from = input(), to = input();
    if (from > 2 || to > 2)
        return 0;
    spare = items[to];
    items[to] = items[from];
    items[from] = spare;
    assert(items[1].at.y != 12 || items[2].kind != 6); //~ violation
    return 0;
}
