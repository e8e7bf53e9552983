// check: safe
// headline explicit -DBUG_DROP: unsafe (assertion at logger.c:94)
// headline explicit -DBUG_SIGNAL: unsafe (deadlock at logger.c:42)
// lazy: skip the searches of many engines would take minutes
// Lines are formatted by their threads and written by another one, which is joined at exit. Planted: lines that are dropped at the
// end, an end that is not announced.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <pthread.h>
#include <assert.h>
#include <unistd.h>

#define SLOTS 2
#define WIDTH 64
enum level { DEBUG, INFO, WARN, ERROR };
static const char *names[] = {"DEBUG", "INFO", "WARN", "ERROR"};

static struct {
    char line[SLOTS][WIDTH];
    unsigned head, tail;
    int running, written, dropped;
    enum level threshold;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t more, room;
    FILE *out;
} logger = {.mutex = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .room = PTHREAD_COND_INITIALIZER};

static void *flusher(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&logger.mutex);
#ifdef BUG_DROP
    while (logger.running) {
#else
    while (logger.running || logger.head != logger.tail) {
#endif
        if (logger.head == logger.tail) {
            pthread_cond_wait(&logger.more, &logger.mutex);
            continue;
        }
        char copy[WIDTH];
        memcpy(copy, logger.line[logger.head % SLOTS], WIDTH);
        logger.head++;
        pthread_cond_signal(&logger.room);
        pthread_mutex_unlock(&logger.mutex);
        fputs(copy, logger.out);
        fflush(logger.out);
        pthread_mutex_lock(&logger.mutex);
        logger.written++;
    }
    pthread_mutex_unlock(&logger.mutex);
    return NULL;
}

void log_write(enum level level, const char *format, ...)
{
    char text[WIDTH];
    va_list args;
    time_t now = time(NULL);
    struct tm tm;
    if (level < logger.threshold)
        return;
    localtime_r(&now, &tm);
    size_t n = strftime(text, sizeof text, "%H:%M:%S ", &tm);
    n += snprintf(text + n, sizeof text - n, "[%s] ", names[level]);
    va_start(args, format);
    vsnprintf(text + n, sizeof text - n, format, args);
    va_end(args);
    pthread_mutex_lock(&logger.mutex);
#ifdef BUG_FULL
    while (logger.tail - logger.head > SLOTS)
#else
    while (logger.tail - logger.head == SLOTS)
#endif
        pthread_cond_wait(&logger.room, &logger.mutex);
    memcpy(logger.line[logger.tail++ % SLOTS], text, WIDTH);
    pthread_cond_signal(&logger.more);
    pthread_mutex_unlock(&logger.mutex);
}

static void log_close(void)
{
    pthread_mutex_lock(&logger.mutex);
    logger.running = 0;
#ifndef BUG_SIGNAL
    pthread_cond_signal(&logger.more);
#endif
    pthread_mutex_unlock(&logger.mutex);
    pthread_join(logger.thread, NULL);
    assert(logger.written == 3);
}

int log_open(const char *path)
{
    logger.out = path ? fopen(path, "a") : stderr;
    if (!logger.out)
        return -1;
    logger.running = 1;
    const char *l = getenv("LOG_LEVEL");
    if (l)
        logger.threshold = atoi(l);
    if (pthread_create(&logger.thread, NULL, flusher, NULL))
        return -1;
    atexit(log_close);
    return 0;
}

static void *client(void *arg)
{
    log_write(INFO, "client %d starts\n", *(int *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    if (log_open(argc > 1 ? argv[1] : NULL)) {
        perror("log");
        return 1;
    }
    pthread_t t;
    int id = 7;
    pthread_create(&t, NULL, client, &id);
    log_write(INFO, "pid %d\n", (int)getpid());
    log_write(WARN, "done %s\n", argv[0]);
    pthread_join(t, NULL);
    return 0;
}
