// check: safe
// headline explicit lazy tree: safe
// Memory that was not written holds something, and its copies hold the same.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int x, y;
} g, h;

int main(void) {
    struct pair l;
    g = l;
    h = l;
    assert(g.x == h.x && g.y == l.y);
    struct pair *block = malloc(sizeof *block);
    if (!block)
        return 0;
    memcpy(&h, block, sizeof h);
    assert(h.y == block->y);
    return 0;
}
