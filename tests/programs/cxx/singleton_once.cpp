// check: safe
// A static variable of a function is made by one thread only, and the others wait for it.
#include <cassert>
#include <thread>

static int made;

struct Registry {
    int size;
    Registry() : size(5) { made++; }
};

static Registry &registry() {
    static Registry instance;
    return instance;
}

int main() {
    std::thread a([] { assert(registry().size == 5); });
    std::thread b([] { assert(registry().size == 5); });
    a.join();
    b.join();
    assert(made == 1);
}
