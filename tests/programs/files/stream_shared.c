// check: safe
// Both write to one stream, which is closed when they have ended; standard streams may be closed, too.
#include <pthread.h>
#include <stdio.h>

static FILE *out;

static void *work(void *name)
{
    fprintf(out, "%s\n", (char *)name);
    fflush(NULL);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    out = fopen("out", "w");
    if (!out)
        out = stdout;
    pthread_create(&first, NULL, work, "one");
    pthread_create(&second, NULL, work, "two");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    fclose(out);
    return fileno(stderr) == 2 ? 0 : 1;
}
