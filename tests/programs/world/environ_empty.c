// check: safe
// assumption: the environment is empty
// Nobody says what the environment is.
#include <assert.h>

extern char **environ;

int main(void) {
    assert(!environ[0]);
    return 0;
}
