// A message is handed to another thread, and freed by whoever thinks to be the last to use it.
//
//     selvedge check examples/early_free.c
//
// What to look for: a read of freed memory. The sender frees the message as soon as the flag says that it was seen, and the
// receiver sets that flag before its last look.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    atomic_int seen;
    int text;
};

static void *receive(void *arg) {
    struct message *message = arg;
    message->seen = 1;
    return message->text ? arg : NULL;
}

int main(void) {
    pthread_t receiver;
    struct message *message = malloc(sizeof *message);
    message->seen = 0;
    message->text = 42;
    pthread_create(&receiver, NULL, receive, message);
    while (!message->seen)
        ;
    free(message);
    pthread_join(receiver, NULL);
    return 0;
}
