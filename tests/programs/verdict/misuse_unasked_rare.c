// check: safe
// args: --property assertion
// assumption: runs end at the misuse of memory at misuse_unasked_rare.c:17, which was not checked
// headline lazy tree: safe
// headline lazy tree cbmc swarm --strict: unknown (assumed: runs end at the misuse of memory at misuse_unasked_rare.c:17, which was not checked)
// No run at random finds the one input with which memory is misused: a solver does.
#include <assert.h>

int __VERIFIER_nondet_int(void);

int a[4];
int *volatile somewhere = a;

int main(void) {
    int x = __VERIFIER_nondet_int(), *p = somewhere;
    if (x > 0 && x < 40000 && x * x == 1522756)
        p[5] = 1;
    assert(x * x != 1522756 || x <= 0 || x >= 40000);
    return 0;
}
