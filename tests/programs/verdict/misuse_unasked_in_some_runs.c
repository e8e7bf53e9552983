// check: safe
// args: --property assertion
// assumption: threads can always be created (--may-fail create)
// assumption: runs end at the misuse of memory at misuse_unasked_in_some_runs.c:26, which was not checked
// headline auto explicit lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 2)
// headline auto explicit lazy tree cbmc swarm --strict: unknown (assumed: runs end at the misuse of memory at misuse_unasked_in_some_runs.c:26, which was not checked)
// Some runs end at a misuse that nobody asked about, others at the end of main.
#include <assert.h>
#include <pthread.h>

int a[4];
int index_of_a;

void *outside(void *arg) {
    index_of_a = 1000000;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, outside, 0);
    int at = index_of_a;
    int *p = a;
    p[at] = 1;
    assert(at == 0);
    pthread_join(thread, 0);
    return 0;
}
