// check: safe
#include <assert.h>

struct point { int x, y; };

int *global = (int[]){7, 8, 9};

int norm(const struct point *p) {
    return p->x * p->x + p->y * p->y;
}

int main(void) {
    assert(norm(&(struct point){.y = 4, .x = 3}) == 25);
    int *list = (int[3]){1, 2};
    list[2] += 5;
    assert(list[1] == 2 && list[2] == 5 && global[2] == 9);
    return 0;
}
