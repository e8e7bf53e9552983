/* The file system: directories, what is known of files, their names, and places in them.
 *
 * What is there is up to the environment: a path may name a file or not, a file is of any kind, size and age, a directory has
 * any entries, and each answer is an input of its own, for other processes may change all that meanwhile. Changes succeed,
 * unless --may-fail files was given. Names and paths that come from there have up to 119 characters, or as --longest-input says.
 */
#include "internal.h"
#include "files.c"
#include "memory.c"
#include "stdio.c"
#include "string.c"

enum { LONGEST_NAME = 119, E_NOTDIR = 20, E_SPIPE = 29 };

/* ---- what is known of a file ---- */

/* glibc's layouts: the bytes of a struct stat, and where the size of the file stands. */
enum { STAT_BYTES = sizeof(long) == 8 ? 144 : 88, STAT64_BYTES = sizeof(long) == 8 ? 144 : 96, STAT_SIZE = sizeof(long) == 8 ? 48 : 44 };

static long any_file_size(void) { return (long)__selvedge_nondet_range(0, LONGEST_INPUT(0x7FFFFFFF)); }

static int tell_status(void *to, __selvedge_size bytes) {
    long long size = any_file_size();
    fill_with_anything(to, bytes);
    __builtin_memcpy((char *)to + STAT_SIZE, &size, bytes == STAT64_BYTES ? 8 : sizeof(long));
    return 0;
}

static int status_of_path(const char *path, void *to, __selvedge_size bytes) {
    (void)path;
    __selvedge_check_write(to, bytes);
    return __selvedge_nondet_bool() ? file_failed(E_NOENT) : tell_status(to, bytes);
}

static _Bool is_open(int file) {
    __selvedge_atomic_begin();
    _Bool open = (file >= 0 && file < FIRST_DESCRIPTOR) || descriptor_of(file);
    __selvedge_atomic_end();
    return open;
}

static int status_of_file(int file, void *to, __selvedge_size bytes) {
    __selvedge_check_write(to, bytes);
    return is_open(file) ? tell_status(to, bytes) : file_failed(E_BADF);
}

int stat(const char *path, void *to) { return status_of_path(path, to, STAT_BYTES); }
int stat64(const char *path, void *to) { return status_of_path(path, to, STAT64_BYTES); }
int lstat(const char *path, void *to) { return status_of_path(path, to, STAT_BYTES); }
int lstat64(const char *path, void *to) { return status_of_path(path, to, STAT64_BYTES); }
int fstat(int file, void *to) { return status_of_file(file, to, STAT_BYTES); }
int fstat64(int file, void *to) { return status_of_file(file, to, STAT64_BYTES); }
int fstatat(int directory, const char *path, void *to, int flags) { (void)directory, (void)flags; return status_of_path(path, to, STAT_BYTES); }
int __xstat(int version, const char *path, void *to) { (void)version; return status_of_path(path, to, STAT_BYTES); }
int __lxstat(int version, const char *path, void *to) { (void)version; return status_of_path(path, to, STAT_BYTES); }
int __fxstat(int version, int file, void *to) { (void)version; return status_of_file(file, to, STAT_BYTES); }

static int is_there(const char *path) {
    (void)path;
    return __selvedge_nondet_bool() ? file_failed(E_NOENT) : 0;
}

int access(const char *path, int mode) { (void)mode; return is_there(path); }
int faccessat(int directory, const char *path, int mode, int flags) { (void)directory, (void)mode, (void)flags; return is_there(path); }

/* ---- changes ---- */

static int changes(const char *path) {
    (void)path;
    return FAILS(files) ? file_failed(E_IO) : 0;
}

int mkdir(const char *path, unsigned mode) { (void)mode; return changes(path); }
int rmdir(const char *path) { return changes(path); }
int chdir(const char *path) { return changes(path); }
int chmod(const char *path, unsigned mode) { (void)mode; return changes(path); }
int truncate(const char *path, long size) { (void)size; return changes(path); }
int rename(const char *from, const char *to) { return changes(from) ? -1 : changes(to); }
int link(const char *from, const char *to) { return changes(from) ? -1 : changes(to); }
int symlink(const char *from, const char *to) { return changes(from) ? -1 : changes(to); }

static int changes_open(int file) { return !is_open(file) ? file_failed(E_BADF) : FAILS(files) ? file_failed(E_IO) : 0; }

int fchmod(int file, unsigned mode) { (void)mode; return changes_open(file); }
int ftruncate(int file, long size) { return size < 0 ? file_failed(E_INVAL) : changes_open(file); }
int ftruncate64(int file, long long size) { return size < 0 ? file_failed(E_INVAL) : changes_open(file); }
int posix_fallocate(int file, long start, long size) { (void)start, (void)size; return !is_open(file) ? E_BADF : FAILS(files) ? E_NOSPC : 0; }
int posix_fadvise(int file, long start, long size, int advice) { (void)start, (void)size, (void)advice; return is_open(file) ? 0 : E_BADF; }
int flock(int file, int operation) { (void)operation; return is_open(file) ? 0 : file_failed(E_BADF); }

unsigned umask(unsigned mask) {
    static unsigned selvedge_mask = 022;
    unsigned before = selvedge_mask;
    selvedge_mask = mask & 0777;
    return before;
}

/* ---- places in files ---- */

/* No error if it has places: pipes and their like have none. */
static int has_places(int file) {
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    int error = d ? (d->kind == OUTSIDE ? 0 : E_SPIPE) : is_open(file) ? 0 : E_BADF;
    __selvedge_atomic_end();
    return error;
}

static long seek_file(int file, long offset, int whence) {
    enum { FROM_START = 0, FROM_END = 2 };
    int error = has_places(file);
    if (!error && (whence < FROM_START || whence > FROM_END || (whence == FROM_START && offset < 0)))
        error = E_INVAL;
    if (error)
        return file_failed(error);
    return whence == FROM_START ? offset : any_file_size();
}

long lseek(int file, long offset, int whence) { return seek_file(file, offset, whence); }
long long lseek64(int file, long long offset, int whence) { return seek_file(file, (long)offset, whence); }

static long read_at(int file, void *to, __selvedge_size size) {
    int error = has_places(file);
    return error ? file_failed(error) : read_descriptor(file, to, size);
}

static long write_at(int file, const void *data, __selvedge_size size) {
    int error = has_places(file);
    return error ? file_failed(error) : write_descriptor(file, data, size);
}

long pread(int file, void *to, __selvedge_size size, long offset) { return offset < 0 ? file_failed(E_INVAL) : read_at(file, to, size); }
long pread64(int file, void *to, __selvedge_size size, long long offset) { return offset < 0 ? file_failed(E_INVAL) : read_at(file, to, size); }
long pwrite(int file, const void *data, __selvedge_size size, long offset) { return offset < 0 ? file_failed(E_INVAL) : write_at(file, data, size); }
long pwrite64(int file, const void *data, __selvedge_size size, long long offset) { return offset < 0 ? file_failed(E_INVAL) : write_at(file, data, size); }

/* ---- names ---- */

/* A path of any length that fits into so many bytes, which are more than one; absolute if it has a root. */
static __selvedge_size any_path(char *to, __selvedge_size room, _Bool is_absolute) {
    __selvedge_size longest = LONGEST_INPUT(room - 1 < LONGEST_NAME ? room - 1 : LONGEST_NAME);
    __selvedge_size length = (__selvedge_size)__selvedge_nondet_range(1, longest);
    for (__selvedge_size i = 0; i < length; i++)
        to[i] = i == 0 && is_absolute ? '/' : (char)__selvedge_nondet_range(1, 255);
    to[length] = 0;
    return length;
}

char *realpath(const char *path, char *to) {
    enum { LONGEST_PATH = 4096 };
    if (!path) {
        selvedge_errno = E_INVAL;
        return SELVEDGE_NULL;
    }
    __selvedge_reads_text(path, ~(__selvedge_size)0);
    if (is_there(path))
        return SELVEDGE_NULL;
    if (!to)
        to = allocate(LONGEST_NAME + 1, 1);
    else
        __selvedge_check_write(to, LONGEST_PATH);
    if (to)
        any_path(to, LONGEST_NAME + 1, 1);
    return to;
}

char *getcwd(char *to, __selvedge_size size) {
    if (to && !size) {
        selvedge_errno = E_INVAL;
        return SELVEDGE_NULL;
    }
    if (!to)
        to = allocate(size ? size : LONGEST_NAME + 1, 1);
    else
        __selvedge_check_write(to, size);
    if (!to)
        return SELVEDGE_NULL;
    /* It may be too long, or gone. */
    if (size == 1 || __selvedge_nondet_bool()) {
        selvedge_errno = size ? E_RANGE : E_NOENT;
        return SELVEDGE_NULL;
    }
    any_path(to, size ? size : LONGEST_NAME + 1, 1);
    return to;
}

long readlink(const char *path, char *to, __selvedge_size size) {
    if (is_there(path))
        return -1;
    if (!size)
        return file_failed(E_INVAL);
    __selvedge_check_write(to, size);
    char target[LONGEST_NAME + 1];
    __selvedge_size length = any_path(target, sizeof target, 0);
    length = length < size ? length : size;
    __builtin_memcpy(to, target, length);
    return (long)length;
}

/* What stands before the last component; the slash before that is overwritten (POSIX, dirname). */
char *dirname(char *path) {
    __selvedge_size end = path ? text_length(path) : 0;
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end && path[end - 1] != '/')
        end--;
    while (end > 1 && path[end - 1] == '/')
        end--;
    if (!end)
        return ".";
    path[end] = 0;
    return path;
}

/* ---- temporary files ---- */

/* Replaces the six letters before the last `suffix` characters. */
static _Bool make_name(char *name, int suffix) {
    long length = (long)text_length(name) - suffix;
    if (length < 6 || suffix < 0)
        return 0;
    char *letters = name + length - 6;
    for (int i = 0; i < 6; i++)
        if (letters[i] != 'X')
            return 0;
    for (int i = 0; i < 6; i++)
        letters[i] = (char)__selvedge_nondet_range('a', 'z');
    return 1;
}

static int open_named(char *name, int suffix) { return make_name(name, suffix) ? open_outside() : file_failed(E_INVAL); }

int mkstemp(char *name) { return open_named(name, 0); }
int mkstemp64(char *name) { return open_named(name, 0); }
int mkostemp(char *name, int flags) { (void)flags; return open_named(name, 0); }
int mkstemps(char *name, int suffix) { return open_named(name, suffix); }

char *mkdtemp(char *name) {
    int error = !make_name(name, 0) ? E_INVAL : __selvedge_nondet_bool() ? E_NOENT : 0;
    if (error)
        selvedge_errno = error;
    return error ? SELVEDGE_NULL : name;
}

static void *open_temporary(void) {
    MAY_BE_CANCELLED();
    if (__selvedge_nondet_bool())
        return opened_stream();
    selvedge_errno = E_MFILE;
    return SELVEDGE_NULL;
}

void *tmpfile(void) { return open_temporary(); }
void *tmpfile64(void) { return open_temporary(); }

/* ---- directories ---- */

/* glibc's struct dirent; struct dirent64 on 32 bits has wider numbers. */
struct selvedge_entry {
    unsigned long number;
    long offset;
    unsigned short bytes;
    unsigned char kind;
    char name[256];
};

/* An object of the heap, as streams are. */
struct selvedge_directory {
    int file;
    struct selvedge_entry entry;
};

static void *opened_directory(int file) {
    struct selvedge_directory *directory = __selvedge_alloc(sizeof *directory, 8);
    directory->file = file;
    return directory;
}

void *opendir(const char *path) {
    (void)path;
    int file = open_outside();
    return file < 0 ? SELVEDGE_NULL : opened_directory(file);
}

void *fdopendir(int file) {
    int error = is_open(file) ? (__selvedge_nondet_bool() ? E_NOTDIR : 0) : E_BADF;
    if (error)
        selvedge_errno = error;
    return error ? SELVEDGE_NULL : opened_directory(file);
}

/* The entry is the directory's own: the next call overwrites it (POSIX, readdir). */
struct selvedge_entry *readdir(struct selvedge_directory *directory) {
    struct selvedge_entry *entry = &directory->entry;
    if (__selvedge_nondet_bool())
        return SELVEDGE_NULL;
    entry->number = (unsigned long)__selvedge_nondet_u64();
    entry->offset = 0;
    entry->bytes = sizeof *entry;
    entry->kind = (unsigned char)__selvedge_nondet_range(0, 14);
    any_path(entry->name, sizeof entry->name, 0);
    return entry;
}

void rewinddir(struct selvedge_directory *directory) { use_stream(directory); }
int dirfd(struct selvedge_directory *directory) { return directory->file; }

int closedir(struct selvedge_directory *directory) {
    int file = directory->file;
    __selvedge_free(directory);
    return close_descriptor(file);
}
