// check: safe
// Nested designated initialisers with addresses in them.
#include <assert.h>
#include <stddef.h>

int pool[3] = {[2] = 30, [0] = 10};
struct inner { int *where; const char *name; };
struct outer {
    struct inner parts[2];
    struct outer *self;
    int (*function)(void);
};
int answer(void) { return 42; }

struct outer object = {
    .self = &object,
    .parts = {[1] = {.where = &pool[2], .name = "second"}, [0].where = pool},
    .function = answer,
};
int *past = &pool[3] - 1;
size_t distance = offsetof(struct outer, self);

int main(void) {
    assert(*object.parts[0].where == 10 && *object.self->parts[1].where == 30);
    assert(object.parts[0].name == NULL && object.parts[1].name[3] == 'o');
    assert(object.function() == 42 && past == object.parts[1].where);
    assert((struct outer **)((char *)&object + distance) == &object.self);
    return 0;
}
