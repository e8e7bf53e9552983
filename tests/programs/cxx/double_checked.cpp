// check: unsafe assertion
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// The flag is up before the object is made.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<bool> ready{false};
static std::mutex mutex;
static int *table;
static int storage[2];

static int *get() {
    if (!ready) {
        std::lock_guard<std::mutex> lock(mutex);
        if (!ready) {
            ready = true;
            table = storage;
        }
    }
    return table;
}

int main() {
    std::thread a([] { assert(get() != nullptr); }); //~ violation
    std::thread b([] { assert(get() != nullptr); }); //~ violation
    a.join();
    b.join();
}
