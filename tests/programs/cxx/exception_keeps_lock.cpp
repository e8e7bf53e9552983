// check: unsafe deadlock
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// A lock taken by hand is not given back when the exception passes.
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;

static void work(int n) {
    mutex.lock(); //~ violation
    if (n > 0)
        throw std::runtime_error("no");
    mutex.unlock();
}

static void run(int n) {
    try {
        work(n);
    } catch (const std::runtime_error &) {
    }
}

int main() {
    std::thread one(run, 1), none(run, 0);
    one.join();
    none.join(); //~ violation
}
