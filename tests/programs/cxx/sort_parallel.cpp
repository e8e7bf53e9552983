// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Halves are sorted by two threads and merged.
#include <algorithm>
#include <cassert>
#include <thread>
#include <vector>

int main() {
    std::vector<int> values{4, 1, 3, 2};
    auto middle = values.begin() + 2;
    std::thread left([&] { std::sort(values.begin(), middle); });
    std::sort(middle, values.end());
    left.join();
    std::inplace_merge(values.begin(), middle, values.end());
    assert(std::is_sorted(values.begin(), values.end()));
}
