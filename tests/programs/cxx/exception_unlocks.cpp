// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// The lock is given back while the exception is on its way.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;
static int done;

static void work(int n) {
    std::lock_guard<std::mutex> lock(mutex);
    if (n > 0)
        throw std::runtime_error("work " + std::to_string(n));
    done++;
}

static void run(int n) {
    try {
        work(n);
    } catch (const std::exception &problem) {
        assert(std::string(problem.what()) == "work 1");
        std::lock_guard<std::mutex> lock(mutex);
        done++;
    }
}

int main() {
    std::thread one(run, 1), none(run, 0);
    one.join();
    none.join();
    assert(done == 2);
}
