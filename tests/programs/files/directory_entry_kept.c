// check: unsafe memory
// An entry is the directory's, and ends with it.
// args: --longest-input 2
#include <dirent.h>

int main(void) {
    DIR *d = opendir(".");
    if (!d)
        return 1;
    struct dirent *entry = readdir(d);
    closedir(d);
    return entry && entry->d_name[0] == '.'; //~ violation
}
