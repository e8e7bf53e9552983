// check: unsafe assertion
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// A wait with a time limit may end without the flag.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
    std::thread other([] {
        std::this_thread::sleep_for(1ms);
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        changed.notify_all();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait_for(lock, 100ms, [] { return ready; });
        assert(ready); //~ violation
    }
    other.join();
}
