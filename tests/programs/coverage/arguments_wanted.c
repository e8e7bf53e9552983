// check: safe
// assumption: the program is run without arguments: argc is 1
// assumption: threads can always be created (--may-fail create)
// headline auto explicit lazy tree: safe (warning: no thread was created: no run got to pthread_create at arguments_wanted.c:20)
// headline auto explicit lazy tree -- 2: unsafe (assertion at arguments_wanted.c:22)
// headline auto lazy --arg-any 1: unsafe (assertion at arguments_wanted.c:22)
// A program that wants arguments and gets none does nothing, which is not worth much.
#include <assert.h>
#include <pthread.h>

int x;

static void *thread(void *arg) { x = 1; return arg; }

int main(int c, char **v) {
    if (c < 2)
        return 1;
    pthread_t id;
    int twice = v[1][0] == '2';
    pthread_create(&id, NULL, thread, NULL);
    if (twice)
        assert(x == 1);
    pthread_join(id, NULL);
    return 0;
}
