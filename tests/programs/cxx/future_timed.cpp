// check: unsafe assertion
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// The result may come later than the wait lasts.
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    auto answer = promise.get_future();
    std::thread worker([&promise] { promise.set_value(3); });
    auto status = answer.wait_for(std::chrono::milliseconds(10));
    worker.join();
    assert(status == std::future_status::ready); //~ violation
}
