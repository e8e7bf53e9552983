// check: unsafe assertion
// headline explicit lazy tree cbmc spin swarm: unsafe (assertion at call_argument_truth.c:21)
// headline prove: unknown (no proof was found)
// Arguments of calls by a pointer, and of threads, are converted as well: an even number is true, and so is an address.
#include <assert.h>
#include <pthread.h>

static int flag;

int set(_Bool value) { return flag += value; }
void *set_in_thread(_Bool value) { flag += value; return 0; }

int main(void) {
    int (*volatile call)() = (int (*)())set;
    pthread_t t;
    call(2);
    call(&flag);
    pthread_create(&t, 0, (void *(*)(void *))set_in_thread, (void *)4);
    pthread_join(t, 0);
    if (flag == 3)
        assert(0); //~ violation
    return 0;
}
