// check: unsafe assertion
// strtok keeps its place in one variable that all threads share.
#include <assert.h>
#include <pthread.h>
#include <string.h>

char other[] = "x y";

void *worker(void *arg) {
    strtok(other, " ");
    return arg;
}

int main(void) {
    pthread_t t;
    char text[] = "a b";
    pthread_create(&t, NULL, worker, NULL);
    strtok(text, " ");
    char *second = strtok(NULL, " ");
    assert(second && second[0] == 'b'); //~ violation
    return 0;
}
