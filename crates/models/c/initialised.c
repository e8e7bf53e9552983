/* Objects that are initialised twice without being destroyed in between: misuse ("lock"), which POSIX leaves undefined for all of
 * them. The front end calls these functions where a variable may be initialised more than once (see
 * from_llvm/src/lower/initialised.rs). Where it is not checked, the second initialisation does what the first one did. */
#include "internal.h"

enum { INITIALISED_OBJECTS = 16 };
static const void *selvedge_initialised[INITIALISED_OBJECTS];

void __selvedge_initialises(const void *object) {
    __selvedge_atomic_begin();
    int i = 0;
    while (i < INITIALISED_OBJECTS && selvedge_initialised[i] && selvedge_initialised[i] != object)
        i++;
    if (i < INITIALISED_OBJECTS) {
        if (selvedge_initialised[i])
            __selvedge_violation("lock", "initialises what is initialised already");
        selvedge_initialised[i] = object;
    }
    __selvedge_atomic_end();
}

/* A mutex that may be in use. */
void __selvedge_initialises_mutex(const struct selvedge_mutex *m) {
    __selvedge_atomic_begin();
    if (MUTEX_OWNER(m->word))
        __selvedge_violation("lock", "initialises a mutex that is locked");
    __selvedge_atomic_end();
}

/* The last one takes its place. */
void __selvedge_destroys(const void *object) {
    __selvedge_atomic_begin();
    int found = -1, last = -1;
    for (int i = 0; i < INITIALISED_OBJECTS && selvedge_initialised[i]; i++) {
        last = i;
        if (selvedge_initialised[i] == object)
            found = i;
    }
    if (found >= 0) {
        selvedge_initialised[found] = selvedge_initialised[last];
        selvedge_initialised[last] = SELVEDGE_NULL;
    }
    __selvedge_atomic_end();
}
