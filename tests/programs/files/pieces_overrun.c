// check: unsafe memory
// The second piece is shorter than its length says.
#include <sys/uio.h>

int main(void) {
    char first[4] = "abc", second[2] = "d";
    struct iovec pieces[2] = {{first, 4}, {second, 4}};
    writev(1, pieces, 2); //~ violation
    return 0;
}
