// check: unsafe assertion
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// One way through the thread forgets to set the value: the future throws.
#include <atomic>
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> answer = promise.get_future();
    std::atomic<bool> cancelled{false};
    std::thread worker([promise = std::move(promise), &cancelled]() mutable {
        if (!cancelled)
            promise.set_value(42);
    });
    cancelled = true;
    bool broken = false;
    try {
        answer.get();
    } catch (const std::future_error &) {
        broken = true;
    }
    worker.join();
    assert(!broken); //~ violation
}
