// property: race
// Every request is a block that its thread gets for itself and frees; nobody counts the threads, or waits for them. In the
// twin the creator looks at the block once more.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct request {
    int kind, answer;
};

static void *serve(void *argument)
{
    struct request *request = argument;
    request->answer = request->kind + 1;
    free(request);
    return 0;
}

int main(void)
{
    pthread_t thread;
    int last = 0;
    for (;;) {
        struct request *request = malloc(sizeof *request);
        request->kind = __VERIFIER_nondet_int();
        if (request->kind != last)
            request->answer = 0;
        pthread_create(&thread, 0, serve, request);
#ifdef TWIN
        last = request->kind;
#endif
        pthread_detach(thread);
    }
}
