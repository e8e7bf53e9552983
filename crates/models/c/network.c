/* Sockets and the names of hosts. What comes from a network is open: calls may fail, addresses are any, hosts have one or two
 * of them. Sockets themselves are files outside (files.c); the two ends of socketpair are there as well, among threads. */
#include "internal.h"
#include "files.c"
#include "memory.c"
#include "string.c"

enum { INTERNET = 2, INTERNET_6 = 10, E_AFNOSUPPORT = 97, E_CONNRESET = 104, E_CONNREFUSED = 111 };

int socket(int domain, int type, int protocol) { (void)domain, (void)type, (void)protocol; return open_outside(); }

int socketpair(int domain, int type, int protocol, int *ends) {
    enum { KIND_FLAGS = 04000 | 02000000 };
    (void)domain, (void)protocol;
    return make_ends(ends, PAIR, PAIR, type & KIND_FLAGS);
}

static void sender_is_anybody(void *address, unsigned *length) {
    __selvedge_check_write(address, *length);
    fill_with_anything(address, *length);
}

static int accept_outside(void *address, unsigned *length) {
    cancellation_point();
    int file = open_outside();
    if (file >= 0 && address)
        sender_is_anybody(address, length);
    return file;
}

int accept(int file, void *address, unsigned *length) { (void)file; return accept_outside(address, length); }
int accept4(int file, void *address, unsigned *length, int flags) { (void)file, (void)flags; return accept_outside(address, length); }

static _Bool is_socket(int file) {
    __selvedge_atomic_begin();
    _Bool open = (file >= 0 && file < FIRST_DESCRIPTOR) || descriptor_of(file);
    __selvedge_atomic_end();
    return open;
}

/* What succeeds or not as the environment has it. */
static int outcome_outside(int file, int error) {
    if (!is_socket(file))
        return file_failed(E_BADF);
    return __selvedge_nondet_bool() ? file_failed(error) : 0;
}

int bind(int file, const void *address, unsigned length) {
    __selvedge_check_read(address, length);
    return outcome_outside(file, E_INVAL);
}

int connect(int file, const void *address, unsigned length) {
    cancellation_point();
    __selvedge_check_read(address, length);
    return outcome_outside(file, E_CONNREFUSED);
}

int listen(int file, int most) { (void)most; return outcome_outside(file, E_INVAL); }
int shutdown(int file, int how) { (void)how; return outcome_outside(file, E_INVAL); }

int setsockopt(int file, int level, int name, const void *value, unsigned length) {
    (void)level, (void)name;
    __selvedge_check_read(value, length);
    return outcome_outside(file, E_INVAL);
}

static int tell_anything(int file, void *to, unsigned *length) {
    __selvedge_check_write(to, *length);
    int result = outcome_outside(file, E_INVAL);
    if (!result)
        fill_with_anything(to, *length);
    return result;
}

int getsockopt(int file, int level, int name, void *to, unsigned *length) { (void)level, (void)name; return tell_anything(file, to, length); }
int getsockname(int file, void *to, unsigned *length) { return tell_anything(file, to, length); }
int getpeername(int file, void *to, unsigned *length) { return tell_anything(file, to, length); }

/* ---- messages ---- */

static _Bool is_of_pair(int file) {
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    _Bool paired = d && d->kind == PAIR;
    __selvedge_atomic_end();
    return paired;
}

/* Any number of bytes, the end, or a failure. */
static long receive(int file, void *to, __selvedge_size size) {
    if (is_of_pair(file))
        return read_descriptor(file, to, size);
    cancellation_point();
    __selvedge_check_write(to, size);
    long length = (long)__selvedge_nondet_range(0, LONGEST_INPUT(size) + 1) - 1;
    if (length > 0)
        fill_with_anything(to, (__selvedge_size)length);
    return length < 0 ? file_failed(E_CONNRESET) : length;
}

static long transmit(int file, const void *data, __selvedge_size size) {
    if (is_of_pair(file))
        return write_descriptor(file, data, size);
    cancellation_point();
    __selvedge_check_read(data, size);
    return FAILS(files) ? file_failed(E_PIPE) : (long)size;
}

long recv(int file, void *to, __selvedge_size size, int flags) { (void)flags; return receive(file, to, size); }
long send(int file, const void *data, __selvedge_size size, int flags) { (void)flags; return transmit(file, data, size); }

long sendto(int file, const void *data, __selvedge_size size, int flags, const void *address, unsigned length) {
    (void)flags;
    if (address)
        __selvedge_check_read(address, length);
    return transmit(file, data, size);
}

long recvfrom(int file, void *to, __selvedge_size size, int flags, void *address, unsigned *length) {
    (void)flags;
    long result = receive(file, to, size);
    if (result >= 0 && address)
        sender_is_anybody(address, length);
    return result;
}

/* ---- names and addresses ---- */

/* glibc's struct addrinfo. */
struct selvedge_host {
    int flags, family, kind, protocol;
    unsigned length;
    void *address;
    char *name;
    struct selvedge_host *next;
};

enum { ADDRESS_BYTES = 28, NO_SUCH_HOST = -2 };

static struct selvedge_host *any_host(const struct selvedge_host *hints, unsigned short port, struct selvedge_host *next) {
    struct selvedge_host *host = __selvedge_alloc(sizeof *host + ADDRESS_BYTES, 8);
    _Bool is_wide = hints && hints->family ? hints->family == INTERNET_6 : __selvedge_nondet_bool();
    unsigned short family = is_wide ? INTERNET_6 : INTERNET;
    host->flags = hints ? hints->flags : 0;
    host->family = family;
    host->kind = hints && hints->kind ? hints->kind : 1;
    host->protocol = hints && hints->protocol ? hints->protocol : host->kind == 1 ? 6 : 17;
    host->length = is_wide ? ADDRESS_BYTES : 16;
    host->address = host + 1;
    host->name = SELVEDGE_NULL;
    host->next = next;
    fill_with_anything(host->address, ADDRESS_BYTES);
    ((unsigned short *)host->address)[0] = family;
    ((unsigned short *)host->address)[1] = port;
    return host;
}

/* Another protocol than the Internet's has no addresses. */
int getaddrinfo(const char *name, const char *service, const struct selvedge_host *hints, struct selvedge_host **to) {
    unsigned port = 0;
    for (const char *s = service; s && *s >= '0' && *s <= '9'; s++)
        port = 10 * port + (unsigned)(*s - '0');
    if ((!name && !service) || (hints && hints->family && hints->family != INTERNET && hints->family != INTERNET_6))
        return NO_SUCH_HOST;
    if (__selvedge_nondet_bool())
        return NO_SUCH_HOST;
    unsigned short in_order = __builtin_bswap16((unsigned short)port);
    struct selvedge_host *last = __selvedge_nondet_bool() ? any_host(hints, in_order, SELVEDGE_NULL) : SELVEDGE_NULL;
    *to = any_host(hints, in_order, last);
    return 0;
}

void freeaddrinfo(struct selvedge_host *host) {
    while (host) {
        struct selvedge_host *next = host->next;
        __selvedge_free(host);
        host = next;
    }
}

const char *gai_strerror(int error) { return error ? "Name or service not known" : "Success"; }

/* glibc's struct hostent. The answer is the library's own, and that of all threads (POSIX.1-2001, gethostbyname). */
struct selvedge_known_host {
    const char *name;
    char **aliases;
    int family, length;
    char **addresses;
};

struct selvedge_known_host *gethostbyname(const char *name) {
    static unsigned address SELVEDGE_UNPROTECTED;
    static char *addresses[2] SELVEDGE_UNPROTECTED, *no_aliases[1];
    static struct selvedge_known_host answer SELVEDGE_UNPROTECTED;
    if (__selvedge_nondet_bool())
        return SELVEDGE_NULL;
    address = (unsigned)__selvedge_nondet_u64();
    addresses[0] = (char *)&address;
    answer.name = name;
    answer.aliases = no_aliases;
    answer.family = INTERNET;
    answer.length = 4;
    answer.addresses = addresses;
    return &answer;
}

/* ---- addresses as texts ---- */

/* Four numbers of up to 255 with points between them, as inet_pton wants them. */
static _Bool parse_address(const char *text, unsigned *to) {
    unsigned char *bytes = (unsigned char *)to;
    for (int i = 0; i < 4; i++) {
        unsigned value = 0, digits = 0;
        for (; *text >= '0' && *text <= '9' && digits < 4; text++, digits++)
            value = 10 * value + (unsigned)(*text - '0');
        if (!digits || value > 255 || *text != (i < 3 ? '.' : 0))
            return 0;
        bytes[i] = (unsigned char)value;
        text += i < 3;
    }
    return 1;
}

static __selvedge_size print_address(char *to, const unsigned char *bytes) {
    __selvedge_size at = 0;
    for (int i = 0; i < 4; i++) {
        if (bytes[i] >= 100)
            to[at++] = (char)('0' + bytes[i] / 100);
        if (bytes[i] >= 10)
            to[at++] = (char)('0' + bytes[i] / 10 % 10);
        to[at++] = (char)('0' + bytes[i] % 10);
        to[at++] = i < 3 ? '.' : 0;
    }
    return at;
}

enum { TEXT_BYTES = 16, WIDE_TEXT_BYTES = 46 };

int inet_pton(int family, const char *text, void *to) {
    if (family != INTERNET && family != INTERNET_6)
        return file_failed(E_AFNOSUPPORT);
    if (family == INTERNET_6) {
        __selvedge_check_read(text, text_length(text) + 1);
        __selvedge_check_write(to, 16);
        if (__selvedge_nondet_bool())
            return 0;
        fill_with_anything(to, 16);
        return 1;
    }
    unsigned address;
    if (!parse_address(text, &address))
        return 0;
    __builtin_memcpy(to, &address, sizeof address);
    return 1;
}

const char *inet_ntop(int family, const void *address, char *to, unsigned room) {
    char text[WIDE_TEXT_BYTES];
    __selvedge_size length = 0;
    if (family == INTERNET) {
        length = print_address(text, address);
    } else if (family == INTERNET_6) {
        __selvedge_check_read(address, 16);
        length = (__selvedge_size)__selvedge_nondet_range(3, WIDE_TEXT_BYTES);
        for (__selvedge_size i = 0; i + 1 < length; i++)
            text[i] = (char)__selvedge_nondet_range('0', ':');
        text[length - 1] = 0;
    }
    if (!length || length > room) {
        selvedge_errno = length ? E_NOSPC : E_AFNOSUPPORT;
        return SELVEDGE_NULL;
    }
    __builtin_memcpy(to, text, length);
    return to;
}

unsigned inet_addr(const char *text) {
    unsigned address;
    return parse_address(text, &address) ? address : ~0u;
}

int inet_aton(const char *text, unsigned *to) {
    unsigned address;
    if (!parse_address(text, &address))
        return 0;
    *to = address;
    return 1;
}

/* Each thread has a text of its own, as in glibc. */
char *inet_ntoa(unsigned address) {
    static _Thread_local char text[TEXT_BYTES];
    print_address(text, (const unsigned char *)&address);
    return text;
}
