// A queue of messages with priorities: SENDERS threads send, one receives, each queue has room for CAPACITY messages.
// What is received of one sender and one priority comes in the order it was sent.
#include <assert.h>
#include <pthread.h>

#ifndef SENDERS
#define SENDERS 1
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif
#define PRIORITIES 2
#define MESSAGES 2

struct message {
    char sender, number;
};

static struct queue {
    struct message messages[CAPACITY];
    int first, count;
} queues[PRIORITIES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void send(int priority, struct message message) {
    struct queue *queue = &queues[priority];
    pthread_mutex_lock(&lock);
    while (queue->count == CAPACITY)
        pthread_cond_wait(&changed, &lock);
    queue->messages[(queue->first + queue->count) % CAPACITY] = message;
    queue->count++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static struct message receive(int *priority) {
    struct message message;
    pthread_mutex_lock(&lock);
    for (*priority = PRIORITIES - 1; queues[*priority].count == 0;)
        if (--*priority < 0) {
            pthread_cond_wait(&changed, &lock);
            *priority = PRIORITIES - 1;
        }
    struct queue *queue = &queues[*priority];
    message = queue->messages[queue->first];
    queue->first = (queue->first + 1) % CAPACITY;
    queue->count--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return message;
}

static void *sender(void *arg) {
    char me = (char)(*(int *)arg);
    for (int number = 0; number < MESSAGES; number++)
        for (int priority = 0; priority < PRIORITIES; priority++)
            send(priority, (struct message){me, (char)number});
    return NULL;
}

static void *receiver(void *arg) {
    int expected[SENDERS][PRIORITIES] = {{0}}, priority;
    (void)arg;
    for (int i = 0; i < SENDERS * PRIORITIES * MESSAGES; i++) {
        struct message message = receive(&priority);
        assert(message.number == expected[(int)message.sender][priority]);
        expected[(int)message.sender][priority]++;
    }
    return NULL;
}

static int names[SENDERS];

int main(void) {
    pthread_t senders[SENDERS], other;
    for (int i = 0; i < SENDERS; i++) {
        names[i] = i;
        pthread_create(&senders[i], NULL, sender, &names[i]);
    }
    pthread_create(&other, NULL, receiver, NULL);
    for (int i = 0; i < SENDERS; i++)
        pthread_join(senders[i], NULL);
    pthread_join(other, NULL);
    return 0;
}
