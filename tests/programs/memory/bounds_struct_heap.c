// check: unsafe memory
// The array is the last member, so running over it leaves the object.
#include <stdlib.h>

struct message {
    int length;
    char text[4];
};

int main(void) {
    struct message *m = malloc(sizeof *m);
    m->length = 5;
    for (int i = 0; i < m->length; i++)
        m->text[i] = 'x'; //~ violation
    free(m);
    return 0;
}
