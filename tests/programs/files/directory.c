// check: safe
// A directory may be missing, and have entries of any name.
// args: --longest-input 2 --unwind 3
#include <assert.h>
#include <dirent.h>
#include <string.h>

int main(void) {
    DIR *d = opendir(".");
    if (!d)
        return 1;
    struct dirent *entry = readdir(d);
    if (entry)
        assert(strlen(entry->d_name) >= 1 && strlen(entry->d_name) <= 2);
    closedir(d);
    return 0;
}
