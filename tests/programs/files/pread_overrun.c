// check: unsafe memory
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    char block[4];
    int file = open("data", O_RDONLY);
    if (file >= 0)
        pread(file, block, 8, 0); //~ violation
    return 0;
}
