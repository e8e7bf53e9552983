/* Addresses, for programs that look at them: calls of these functions are inserted where a program compares addresses, and
 * nowhere else (passes/src/addresses.rs).
 *
 * What is freed leaves its address to others (C11 6.2.4p2, 7.22.3): a new block may lie where an old one did, and realloc
 * may leave a block where it is. No engine gives an address twice, so that whoever uses a stale pointer is found to do so. So it is
 * noted here which block lies where another one did; what is compared are the places of blocks. One of the two blocks that were
 * freed last can be lain upon, and two blocks in a run do so.
 *
 * Which of two objects comes first is not known (6.5.8p5). All objects lie in the order of their numbers, or the other way round, or
 * two neighbours have changed places: a choice that is made when a program first asks.
 *
 * Where in its surroundings an object lies is not known either, beyond its alignment. The first two objects whose addresses a program
 * takes apart lie at one of eight distances from where engines have them; so hashes may be equal or not, and bits zero or not. */
#include "internal.h"

typedef unsigned long address;

#define WINDOW ((address)1 << (sizeof(address) == 8 ? 36 : 16))

/* Blocks that were freed, the last one first. */
static char *freed[2];
/* Blocks that lie where others did. */
static struct {
    address block, size, place;
} again[2];

static address place_of(address p) {
    if (again[0].block && p - again[0].block <= again[0].size)
        return again[0].place + (p - again[0].block);
    if (again[1].block && p - again[1].block <= again[1].size)
        return again[1].place + (p - again[1].block);
    return p;
}

static void lies_at(char *block, address size, address place) {
    int number = again[0].block != 0;
    again[number].block = (address)block;
    again[number].size = size;
    again[number].place = place;
    if (number == 1)
        freed[0] = freed[1] = SELVEDGE_NULL;
}

address __selvedge_place(address p) {
    __selvedge_atomic_begin();
    address place = place_of(p);
    __selvedge_atomic_end();
    return place;
}

/* Within the section of a compare-exchange. */
_Bool __selvedge_is_at(address found, address expected) {
    return place_of(found) == place_of(expected);
}

void *__selvedge_alloc_somewhere(__selvedge_size size, __selvedge_size align) {
    char *block = __selvedge_alloc(size, align);
    __selvedge_atomic_begin();
    if (freed[0] && __selvedge_nondet_bool()) {
        address place = place_of((address)freed[0]);
        freed[0] = freed[1];
        freed[1] = SELVEDGE_NULL;
        lies_at(block, size, place);
    } else if (freed[1] && __selvedge_nondet_bool()) {
        address place = place_of((address)freed[1]);
        freed[1] = SELVEDGE_NULL;
        lies_at(block, size, place);
    }
    __selvedge_atomic_end();
    return block;
}

void __selvedge_free_noted(void *block) {
    __selvedge_atomic_begin();
    __selvedge_free(block);
    if (!again[1].block) {
        freed[1] = freed[0];
        freed[0] = block;
    }
    __selvedge_atomic_end();
}

/* After realloc has freed the old block. */
void __selvedge_stays(char *block, char *old) {
    __selvedge_atomic_begin();
    if (freed[0] == old && __selvedge_nondet_bool()) {
        address place = place_of((address)old);
        freed[0] = freed[1];
        freed[1] = SELVEDGE_NULL;
        lies_at(block, __selvedge_object_size(block), place);
    }
    __selvedge_atomic_end();
}

/* Bits of the number of an object's window that are turned round. */
static address turned;
static _Bool is_laid_out;

address __selvedge_position(address p) {
    __selvedge_atomic_begin();
    if (!is_laid_out) {
        is_laid_out = 1;
        unsigned long long way = __selvedge_nondet_range(0, 3);
        turned = (way & 1 ? WINDOW : 0) | (way & 2 ? ~(2 * WINDOW - 1) : 0);
    }
    address position = p < WINDOW ? p : p ^ turned;
    __selvedge_atomic_end();
    return position;
}

/* How far the objects in these windows are moved. */
static struct {
    address window, by;
} moved[2];

/* The low digits, and higher ones, for programs that look at pages. */
#define EVERYWHERE (sizeof(address) == 8 ? 0x1010101 : 1)

address __selvedge_number(address p, address alignment) {
    if (p < WINDOW)
        return p;
    __selvedge_atomic_begin();
    p = place_of(p);
    address window = p / WINDOW;
    int number = moved[0].window != 0 && moved[0].window != window;
    if (!moved[number].window) {
        moved[number].window = window;
        moved[number].by = __selvedge_nondet_range(0, 7) * alignment * EVERYWHERE;
    }
    if (moved[number].window == window)
        p += moved[number].by;
    __selvedge_atomic_end();
    return p;
}
