// check: safe
// Lines that are split and parsed in threads.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int counts[3];
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static int parse(const char *line) {
    char cmd[8];
    int a, b;
    if (sscanf(line, "%7s %d %d", cmd, &a, &b) != 3)
        return -1;
    if (!strcmp(cmd, "add"))
        return a + b;
    if (!strcmp(cmd, "sub"))
        return a - b;
    return -1;
}
static void *w(void *a) {
    char line[32];
    strcpy(line, a);
    char *save;
    for (char *p = strtok_r(line, ";", &save); p; p = strtok_r(NULL, ";", &save)) {
        int r = parse(p);
        pthread_mutex_lock(&mu);
        counts[r < 0 ? 0 : r > 5 ? 2 : 1]++;
        pthread_mutex_unlock(&mu);
    }
    return NULL;
}
int main(void) {
    pthread_t x, y;
    pthread_create(&x, NULL, w, "add 1 2;sub 9 1");
    pthread_create(&y, NULL, w, "mul 1 2");
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    if (counts[0] != 1 || counts[1] != 1 || counts[2] != 1)
        assert(0);
    return 0;
}
