// check: safe
#include <assert.h>

int kind(int c) {
    switch (c) {
    case 'a' ... 'z':
        return 1;
    case '0': case '1':
        c++;
        /* fall through */
    case '2':
        return c;
    case -1:
        break;
    default:
        return 2;
    }
    return 3;
}

int copy(int n) { /* Duff's device */
    int done = 0, rounds = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { done++; /* fall through */
    case 3: done++; /* fall through */
    case 2: done++; /* fall through */
    case 1: done++;
            } while (--rounds > 0);
    }
    return done;
}

int main(void) {
    assert(kind('q') == 1 && kind('0') == '1' && kind('2') == '2' && kind(-1) == 3 && kind(99999) == 2);
    assert(copy(7) == 7 && copy(4) == 4);
    int i = 0;
again:
    if (++i < 5)
        goto again;
    assert(i == 5);
    return 0;
}
