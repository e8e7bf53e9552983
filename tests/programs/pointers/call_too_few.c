// check: unknown unsupported
// headline explicit lazy tree cbmc swarm: unknown (not supported: a call with too few arguments at call_too_few.c:15)
// Nobody says what an argument is that is not there: no engine takes the call for one of the other function, or of none.
#include <assert.h>

int input(void);

int one(int value) { return value; }
int none(void) { return 1; }

int main(void) {
    int (*chosen)(void) = none;
    if (input() == 7)
        chosen = (int (*)(void))one;
    assert(chosen() != 5);
    return 0;
}
