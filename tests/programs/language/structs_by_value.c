// check: safe
#include <assert.h>

struct small { short a, b; };
struct middle { double x; int n; };
struct large { int values[10]; };

struct small swap(struct small s) {
    struct small r = {s.b, s.a};
    return r;
}

struct middle scale(struct middle m, int by) {
    m.x *= by;
    m.n *= by;
    return m;
}

struct large add(struct large a, struct large b) {
    for (int i = 0; i < 10; i++)
        a.values[i] += b.values[i];
    return a;
}

int main(void) {
    struct small s = swap((struct small){1, 2});
    assert(s.a == 2 && s.b == 1);
    struct middle m = scale((struct middle){1.5, 3}, 2);
    assert(m.x == 3.0 && m.n == 6);
    struct large a = {{1, 2}}, b = {{[1] = 5, [9] = 7}};
    struct large c = add(a, b);
    assert(c.values[0] == 1 && c.values[1] == 7 && c.values[9] == 7 && a.values[1] == 2);
    return 0;
}
