// check: safe
// A pipe has no places, and what is read at a place of a file is any bytes, as many as fit.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    char c;
    assert(pipe(ends) == 0);
    assert(lseek(ends[0], 0, SEEK_CUR) == -1 && errno == ESPIPE);
    assert(pread(ends[0], &c, 1, 0) == -1 && errno == ESPIPE);
    int file = open("data", O_RDWR);
    if (file >= 0) {
        long length = pread(file, &c, 1, 100);
        assert(length >= 0 && length <= 1);
        assert(pwrite(file, &c, 1, 100) == 1);
    }
    return 0;
}
