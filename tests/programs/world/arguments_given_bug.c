// check: unsafe assertion
// args: -- 3 -x
// headline auto explicit lazy tree swarm: unsafe (assertion at arguments_given_bug.c:20)
// The first argument is the number of rounds, and three are too many.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int rounds;

static void *thread(void *arg) {
    rounds++;
    return arg;
}

int main(int argc, char **argv) {
    if (argc != 3 || argv[2][0] != '-')
        return 1;
    for (int i = 0; i < atoi(argv[1]); i++) {
        assert(rounds < 2); //~ violation
        pthread_t id;
        pthread_create(&id, NULL, thread, NULL);
        pthread_join(id, NULL);
    }
    return 0;
}
