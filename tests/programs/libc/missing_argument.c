// check: unsafe memory
// An option whose argument may be left out has none: optarg is null.
#include <getopt.h>
#include <stdlib.h>

int main(void) {
    char *words[] = {"prog", "-n", NULL};
    int n = 0, c;
    while ((c = getopt(2, words, "n::")) != -1)
        n = *optarg - '0'; //~ violation
    return n;
}
