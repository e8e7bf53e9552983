// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// A lock that spins on an atomic flag, used as any other by lock_guard.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class SpinLock {
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

  public:
    void lock() {
        while (taken.test_and_set(std::memory_order_acquire))
            std::this_thread::yield();
    }
    void unlock() { taken.clear(std::memory_order_release); }
};

static SpinLock spin;
static int count;

static void work() {
    for (int i = 0; i < 2; i++) {
        std::lock_guard<SpinLock> lock(spin);
        count++;
    }
}

int main() {
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(count == 4);
}
