// check: safe
// args: -m32
// headline explicit lazy tree: safe
// Whatever it is, it is not two objects at once.
#include <assert.h>
#include <stdlib.h>

void *make(void);

int main(void) {
    void *made = make();
    char *block = malloc(4);
    int local = 0;
    int *p = &local;
    if (block && made == block)
        assert(made != p);
    return *p;
}
