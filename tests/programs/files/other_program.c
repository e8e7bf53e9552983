// check: safe
// args: --longest-input 2
// Another program prints any lines, or cannot be started.
// check -DUNBOUNDED: unsafe memory
// check -DUNCHECKED: unsafe memory
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char all[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *listen_to(void *command) {
    FILE *other = popen(command, "r");
    char line[8];
#ifndef UNCHECKED
    if (!other)
        return NULL;
#endif
    for (int lines = 0; lines < 1 && fgets(line, sizeof line, other); lines++) { //~ violation
        pthread_mutex_lock(&lock);
#ifdef UNBOUNDED
        strcat(all, line); //~ violation
#else
        strncat(all, line, sizeof all - strlen(all) - 1);
#endif
        pthread_mutex_unlock(&lock);
    }
    int status = pclose(other);
    assert(status >= 0);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, listen_to, "date");
    pthread_create(&two, NULL, listen_to, "uptime");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts(all);
    return 0;
}
