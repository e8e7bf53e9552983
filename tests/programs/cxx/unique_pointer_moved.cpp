// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Ownership moves into the thread.
#include <cassert>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

int main() {
    auto numbers = std::make_unique<std::vector<int>>(std::initializer_list<int>{1, 2, 3});
    int sum = 0;
    std::thread adder([numbers = std::move(numbers), &sum] {
        for (int n : *numbers)
            sum += n;
    });
    adder.join();
    assert(!numbers);
    assert(sum == 6);
}
