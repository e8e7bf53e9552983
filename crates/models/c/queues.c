/* POSIX message queues: names that are known within the process, as long as they are not unlinked. The message of the highest
 * priority comes first, among equals the oldest (mq_receive). Creating one may fail. */
#include "internal.h"
#include "memory.c"
#include "string.c"
#include "threads.c"

enum {
    QUEUES = 4, QUEUE_HANDLES = 16, FIRST_QUEUE_HANDLE = 100, QUEUE_NAME_BYTES = 32, QUEUE_CREATE = 0100, QUEUE_EXCLUSIVE = 0200,
    QUEUE_NOT_BLOCKING = 04000, QUEUE_ACCESS = 3, QUEUE_READS = 0, QUEUE_WRITES = 1, MOST_MESSAGES = 10, MESSAGE_BYTES = 8192,
    E_MSGSIZE = 90,
};

struct queue_attributes {
    long flags, most, size, count, unused[4];
};

struct message {
    struct message *next;
    __selvedge_size length;
    unsigned priority;
    char bytes[];
};

struct queue {
    char name[QUEUE_NAME_BYTES]; /* empty once it is unlinked */
    long most, size, count;
    unsigned short handles;
    struct message *first;
};

struct queue_handle {
    struct queue *queue; /* null: not open */
    int flags;
};

static struct queue selvedge_queues[QUEUES];
static struct queue_handle selvedge_queue_handles[QUEUE_HANDLES];

static int queue_failed(int error) {
    selvedge_errno = error;
    return -1;
}

/* All of these are called inside atomic sections. */

static struct queue *queue_named(const char *name) {
    for (int i = 0; i < QUEUES; i++)
        if (selvedge_queues[i].name[0] && same_text(selvedge_queues[i].name, name))
            return &selvedge_queues[i];
    return SELVEDGE_NULL;
}

static struct queue *new_queue(const char *name, const struct queue_attributes *wanted) {
    __selvedge_size length = text_length(name) + 1;
    struct queue *queue = SELVEDGE_NULL;
    for (int i = 0; i < QUEUES && !queue; i++)
        if (!selvedge_queues[i].name[0] && !selvedge_queues[i].handles)
            queue = &selvedge_queues[i];
    if (!queue || length > QUEUE_NAME_BYTES)
        __selvedge_unsupported("more than 4 message queues, or a name of more than 31 characters");
    __builtin_memcpy(queue->name, name, length);
    queue->most = wanted ? wanted->most : MOST_MESSAGES;
    queue->size = wanted ? wanted->size : MESSAGE_BYTES;
    return queue;
}

static int new_queue_handle(struct queue *queue, int flags) {
    for (int i = 0; i < QUEUE_HANDLES; i++)
        if (!selvedge_queue_handles[i].queue) {
            selvedge_queue_handles[i].queue = queue;
            selvedge_queue_handles[i].flags = flags;
            queue->handles++;
            return FIRST_QUEUE_HANDLE + i;
        }
    __selvedge_unsupported("more than 16 open message queues");
}

static struct queue_handle *queue_handle(int handle) {
    int number = handle - FIRST_QUEUE_HANDLE;
    _Bool open = number >= 0 && number < QUEUE_HANDLES && selvedge_queue_handles[number].queue;
    return open ? &selvedge_queue_handles[number] : SELVEDGE_NULL;
}

/* It is gone when it is unlinked and nobody has it open. */
static void drop_queue(struct queue *queue) {
    if (queue->name[0] || queue->handles)
        return;
    while (queue->first) {
        struct message *next = queue->first->next;
        __selvedge_free(queue->first);
        queue->first = next;
    }
    __builtin_memset(queue, 0, sizeof *queue);
}

static int open_queue(const char *name, int flags, const struct queue_attributes *wanted) {
    int handle = -1, error = 0;
    _Bool fails = (flags & QUEUE_CREATE) && __selvedge_nondet_bool();
    __selvedge_atomic_begin();
    struct queue *queue = queue_named(name);
    if (queue && (flags & QUEUE_CREATE) && (flags & QUEUE_EXCLUSIVE))
        error = E_EXIST;
    else if (!queue && !(flags & QUEUE_CREATE))
        error = E_NOENT;
    else if (!queue && wanted && (wanted->most <= 0 || wanted->size <= 0))
        error = E_INVAL;
    else if (!queue && fails)
        error = E_NOSPC;
    else
        handle = new_queue_handle(queue ? queue : new_queue(name, wanted), flags);
    __selvedge_atomic_end();
    return error ? queue_failed(error) : handle;
}

int mq_open(const char *name, int flags, ...) {
    const struct queue_attributes *wanted = SELVEDGE_NULL;
    if (flags & QUEUE_CREATE) {
        __builtin_va_list args;
        __builtin_va_start(args, flags);
        (void)__builtin_va_arg(args, unsigned);
        wanted = __builtin_va_arg(args, const struct queue_attributes *);
        __builtin_va_end(args);
    }
    return open_queue(name, flags, wanted);
}

/* The declaration that compilers are given when they look out for overflows. */
int __mq_open_2(const char *name, int flags) { return open_queue(name, flags, SELVEDGE_NULL); }

int mq_close(int handle) {
    __selvedge_atomic_begin();
    struct queue_handle *open = queue_handle(handle);
    if (open) {
        struct queue *queue = open->queue;
        open->queue = SELVEDGE_NULL;
        open->flags = 0;
        queue->handles--;
        drop_queue(queue);
    }
    __selvedge_atomic_end();
    return open ? 0 : queue_failed(E_BADF);
}

int mq_unlink(const char *name) {
    __selvedge_atomic_begin();
    struct queue *queue = queue_named(name);
    if (queue) {
        __builtin_memset(queue->name, 0, sizeof queue->name);
        drop_queue(queue);
    }
    __selvedge_atomic_end();
    return queue ? 0 : queue_failed(E_NOENT);
}

static void enqueue(struct queue *queue, const char *data, __selvedge_size length, unsigned priority) {
    struct message *message = __selvedge_alloc(sizeof *message + length, 8), **link = &queue->first;
    while (*link && (*link)->priority >= priority)
        link = &(*link)->next;
    message->next = *link;
    message->length = length;
    message->priority = priority;
    __builtin_memcpy(message->bytes, data, length);
    *link = message;
    queue->count++;
}

/* Waits inside an atomic section until there is room, or something to take: an error, or 0. Who waits for some time may give up. */
static int await_queue(const struct queue_handle *open, _Bool ready, _Bool may_give_up) {
    if (ready)
        return 0;
    if (open->flags & QUEUE_NOT_BLOCKING)
        return E_AGAIN;
    if (may_give_up && __selvedge_nondet_bool())
        return E_TIMEDOUT;
    __selvedge_block_until(ready);
    return 0;
}

static int send_message(int handle, const char *data, __selvedge_size length, unsigned priority, _Bool may_give_up) {
    cancellation_point();
    __selvedge_check_read(data, length);
    __selvedge_atomic_begin();
    struct queue_handle *open = queue_handle(handle);
    int error = !open || (open->flags & QUEUE_ACCESS) == QUEUE_READS ? E_BADF
                : length > (__selvedge_size)open->queue->size        ? E_MSGSIZE
                                                                     : await_queue(open, open->queue->count < open->queue->most, may_give_up);
    if (!error)
        enqueue(open->queue, data, length, priority);
    __selvedge_atomic_end();
    return error ? queue_failed(error) : 0;
}

static long receive_message(int handle, char *to, __selvedge_size room, unsigned *priority, _Bool may_give_up) {
    cancellation_point();
    __selvedge_check_write(to, room);
    long length = -1;
    __selvedge_atomic_begin();
    struct queue_handle *open = queue_handle(handle);
    int error = !open || (open->flags & QUEUE_ACCESS) == QUEUE_WRITES ? E_BADF
                : room < (__selvedge_size)open->queue->size           ? E_MSGSIZE
                                                                      : await_queue(open, open->queue->count > 0, may_give_up);
    if (!error) {
        struct message *message = open->queue->first;
        open->queue->first = message->next;
        open->queue->count--;
        length = (long)message->length;
        __builtin_memcpy(to, message->bytes, message->length);
        if (priority)
            *priority = message->priority;
        __selvedge_free(message);
    }
    __selvedge_atomic_end();
    return error ? queue_failed(error) : length;
}

int mq_send(int handle, const char *data, __selvedge_size length, unsigned priority) { return send_message(handle, data, length, priority, 0); }
long mq_receive(int handle, char *to, __selvedge_size room, unsigned *priority) { return receive_message(handle, to, room, priority, 0); }

int mq_timedsend(int handle, const char *data, __selvedge_size length, unsigned priority, const struct selvedge_timespec *until) {
    (void)until;
    return send_message(handle, data, length, priority, 1);
}

long mq_timedreceive(int handle, char *to, __selvedge_size room, unsigned *priority, const struct selvedge_timespec *until) {
    (void)until;
    return receive_message(handle, to, room, priority, 1);
}

int mq_getattr(int handle, struct queue_attributes *to) {
    __selvedge_atomic_begin();
    struct queue_handle *open = queue_handle(handle);
    if (open) {
        to->flags = open->flags & QUEUE_NOT_BLOCKING;
        to->most = open->queue->most;
        to->size = open->queue->size;
        to->count = open->queue->count;
    }
    __selvedge_atomic_end();
    return open ? 0 : queue_failed(E_BADF);
}

int mq_setattr(int handle, const struct queue_attributes *new, struct queue_attributes *old) {
    if (old && mq_getattr(handle, old))
        return -1;
    __selvedge_atomic_begin();
    struct queue_handle *open = queue_handle(handle);
    if (open)
        open->flags = (open->flags & ~QUEUE_NOT_BLOCKING) | (int)(new->flags & QUEUE_NOT_BLOCKING);
    __selvedge_atomic_end();
    return open ? 0 : queue_failed(E_BADF);
}
