// check: safe
// What stat says is an input: there may be no such file, and it may have any size and kind.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    struct stat s;
    int file = open("data", O_RDONLY);
    if (file < 0)
        return 1;
    assert(fstat(file, &s) == 0 && s.st_size >= 0);
    assert(lseek(file, 5, SEEK_SET) == 5 && lseek(file, -1, SEEK_SET) == -1 && errno == EINVAL);
    assert(lseek(file, 0, SEEK_END) >= 0);
    close(file);
    assert(fstat(file, &s) == -1 && errno == EBADF);
    if (stat("data", &s) != 0)
        assert(errno == ENOENT);
    return 0;
}
