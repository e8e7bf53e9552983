// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Futures hand over results and exceptions.
#include <cassert>
#include <future>
#include <stdexcept>

static int halve(int n) {
    if (n % 2)
        throw std::invalid_argument("odd");
    return n / 2;
}

int main() {
    std::future<int> four = std::async(std::launch::async, halve, 8);
    std::future<int> none = std::async(std::launch::async, halve, 3);
    assert(four.get() == 4);
    bool thrown = false;
    try {
        none.get();
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    assert(thrown);
}
