// check: unsafe memory
// args: --strict
// headline auto explicit lazy tree cbmc swarm: unsafe (memory at misuse_asked.c:12)
// The same with memory checked: a violation.
#include <assert.h>

int a[4];
int *volatile somewhere = a;

int main(void) {
    int *p = somewhere;
    p[5] = 1; //~ violation
    assert(0);
}
