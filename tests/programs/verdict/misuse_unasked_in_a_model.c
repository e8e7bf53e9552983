// check: safe-within-bounds
// args: --property assertion
// assumption: runs end at the misuse of memory at misuse_unasked_in_a_model.c:17, which was not checked
// headline auto explicit lazy tree: safe within bounds (runs were seen to end only at the misuse of memory at misuse_unasked_in_a_model.c:17, which was not checked)
// headline cbmc: unknown (nothing was checked: no check is reachable within unwind 1 complete, rounds 2)
// headline swarm: unknown (nothing was checked: no check is reachable within unwind 2 complete, rounds 2)
// headline auto explicit lazy tree --strict: unknown (assumed: runs end at the misuse of memory at misuse_unasked_in_a_model.c:17, which was not checked)
// headline cbmc --strict: unknown (nothing was checked: no check is reachable within unwind 1 complete, rounds 2)
// headline explicit --supersteps: safe within bounds (runs were seen to end only at the misuse of memory at misuse_unasked_in_a_model.c:17, which was not checked)
// The misuse is inside a function of the library, in the middle of an atomic section.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t *volatile lock = 0;

int main(void) {
    pthread_mutex_lock(lock);
    assert(0);
}
