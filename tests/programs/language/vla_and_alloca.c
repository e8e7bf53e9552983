// check: safe
#include <alloca.h>
#include <assert.h>

int total(int n) {
    int values[n], sum = 0;
    for (int i = 0; i < n; i++)
        values[i] = i;
    for (int i = 0; i < n; i++)
        sum += values[i];
    assert(sizeof values == n * sizeof(int));
    return sum;
}

int main(void) {
    assert(total(4) == 6);
    int *p = alloca(2 * sizeof *p);
    p[0] = 1;
    p[1] = 2;
    assert(p[0] + p[1] == 3);
    return 0;
}
