// check: safe
// The message of the highest priority comes first; who finds no message, or no room, waits.
// check -DNO_ROOM: unsafe deadlock
// check -DNOBODY_SENDS: unsafe deadlock
// check -DOLDEST_FIRST: unsafe assertion
// check -DSHORT_BUFFER: unsafe assertion
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <string.h>

static void *send_all(void *unused) {
    mqd_t queue = mq_open("/work", O_WRONLY);
    assert(queue != (mqd_t)-1);
#ifndef NOBODY_SENDS
    mq_send(queue, "low", 4, 1);
    mq_send(queue, "high", 5, 9);
#endif
#ifdef NO_ROOM
    mq_send(queue, "more", 5, 0);
#endif
    mq_close(queue);
    return unused;
}

int main(void) {
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    mqd_t queue = mq_open("/work", O_CREAT | O_EXCL | O_RDONLY, 0600, &attributes);
    if (queue == (mqd_t)-1)
        return 1;
    pthread_t sender;
    char text[8];
    unsigned priority;
    pthread_create(&sender, NULL, send_all, NULL);
#ifdef NOBODY_SENDS
    mq_receive(queue, text, sizeof text, &priority);
#endif
    pthread_join(sender, NULL);
#ifdef SHORT_BUFFER
    assert(mq_receive(queue, text, 4, &priority) > 0);
#elif defined OLDEST_FIRST
    assert(mq_receive(queue, text, sizeof text, &priority) == 4);
#else
    assert(mq_receive(queue, text, 4, &priority) == -1 && errno == EMSGSIZE);
    assert(mq_receive(queue, text, sizeof text, &priority) == 5 && priority == 9 && strcmp(text, "high") == 0);
    assert(mq_receive(queue, text, sizeof text, &priority) == 4 && priority == 1 && strcmp(text, "low") == 0);
#endif
    mq_close(queue);
    assert(mq_unlink("/work") == 0 && mq_open("/work", O_RDONLY) == (mqd_t)-1);
    return 0;
}
