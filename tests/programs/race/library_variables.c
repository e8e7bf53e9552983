// check: safe
// args: --property race
// check -DWORDS: unsafe race
// check -DWORDS -DPROTECTED: safe
// check -DDATE: unsafe race
// check -DDATE -DPROTECTED: safe
// check -DENVIRONMENT: unsafe race
// check -DENVIRONMENT -DPROTECTED: safe
// check -DHOST: unsafe race
// check -DHOST -DPROTECTED: safe
// Functions of the library that need not avoid races (C11 7.1.4p5, POSIX 2.9.1): their results are variables that all
// threads share, also where each thread uses memory of its own.
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int use_library(char *own) {
#ifdef WORDS
    char *word = strtok(own, ","); //~ violation
    return word && strtok(NULL, ","); //~ violation
#elif defined DATE
    time_t time = own[0];
    return localtime(&time)->tm_mday; //~ violation
#elif defined ENVIRONMENT
    setenv("NAME", own, 1); //~ violation
    return getenv("NAME") != NULL; //~ violation
#elif defined HOST
    struct hostent *host = gethostbyname(own); //~ violation
    return host && host->h_length == 4; //~ violation
#else
    return own[0];
#endif
}

static void *work(void *text) {
    char own[4];
    strcpy(own, text);
#ifdef PROTECTED
    pthread_mutex_lock(&lock);
#endif
    use_library(own);
#ifdef PROTECTED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, work, "a,b");
    pthread_create(&two, NULL, work, "c,d");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
