// check: safe
// write of a whole object.
#include <unistd.h>
int main(void) { char p[4] = "abc"; write(1, p, 4); }
