// check: unsafe memory
// One thread closes the log while the other still writes to it.
#include <pthread.h>
#include <stdio.h>

static FILE *log_file;

static void *work(void *unused)
{
    (void)unused;
    fprintf(log_file, "working\n"); //~ violation
    return NULL;
}

int main(void)
{
    pthread_t worker;
    log_file = fopen("log", "w");
    if (!log_file)
        return 1;
    pthread_create(&worker, NULL, work, NULL);
    fclose(log_file);
    pthread_join(worker, NULL);
    return 0;
}
