// check: safe
#include <assert.h>
#include <stdlib.h>

struct vector {
    int length;
    int items[];
};

int main(void) {
    struct vector *v = malloc(sizeof *v + 3 * sizeof(int));
    v->length = 3;
    for (int i = 0; i < v->length; i++)
        v->items[i] = i;
    assert(v->items[2] == 2);
    free(v);
    return 0;
}
