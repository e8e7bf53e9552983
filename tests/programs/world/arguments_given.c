// check: safe
// args: -- 2 hello
// headline auto explicit lazy tree: safe
// headline auto explicit lazy --strict: safe
// The program gets the arguments that it is asked about, and can write to them.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *thread(void *arg) {
    char *text = arg;
    text[0] = 'j';
    return NULL;
}

int main(int argc, char **argv) {
    assert(argc == 3 && !argv[argc]);
    int number = atoi(argv[1]);
    pthread_t threads[2];
    for (int i = 0; i < number; i++)
        pthread_create(&threads[i], NULL, thread, argv[2]);
    for (int i = 0; i < number; i++)
        pthread_join(threads[i], NULL);
    assert(number == 2 && strcmp(argv[2], "jello") == 0);
    return 0;
}
