// check: safe
// headline explicit lazy tree: safe
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int sum = 0;
    int *blocks[2] = {calloc(3, sizeof(int)), calloc(3, sizeof(int))};
    for (int i = 0; i < 2; i++)
        for (int *p = blocks[i]; p < blocks[i] + 3; p++)
            sum += 1 + *p;
    assert(sum == 6);
    free(blocks[0]);
    free(blocks[1]);
    return 0;
}
