// check: safe
// headline explicit: safe (warning: most was never reached: without arguments no run got to 9 of 15 lines)
// headline explicit -- 3: safe
// Threads are started by a library; without arguments nothing happens.
#include <stdio.h>
#include <stdlib.h>

int start(const char *name, int number);

int main(int argc, char **argv)
{
    int number;
    int total = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: %s NUMBER\n", argv[0]);
        return 1;
    }
    number = atoi(argv[1]);
    for (int i = 0; i < number; i++)
        total += i;
    if (total > 10)
        return 2;
    if (!start("worker", total))
        return 3;
    printf("started\n");
    return 0;
}
