// check: unsafe abort
// Nobody catches what leaves a thread's function.
#include <stdexcept>
#include <thread>
#include <vector>

static int at(const std::vector<int> &values, std::size_t index) {
    return values.at(index);
}

int main() {
    std::vector<int> values{1, 2};
    std::thread reader([&] { at(values, 2); });
    reader.join();
}
