// check: unsafe memory
// The length is set before the room is made for it.
#include <stdlib.h>

struct packet {
    int length;
    char data[];
};

int main(void) {
    struct packet *p = malloc(sizeof *p + 3);
    p->length = 4;
    for (int i = 0; i < p->length; i++)
        p->data[i] = (char)i; //~ violation
    free(p);
    return 0;
}
