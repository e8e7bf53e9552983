// check: unsafe deadlock
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// `stopping` is set without the lock: the worker may have looked before, and wait after the wake-up.
#include <condition_variable>
#include <atomic>
#include <mutex>
#include <thread>

class Worker {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<bool> stopping{false};
    std::thread thread;

  public:
    Worker() : thread([this] {
        std::unique_lock<std::mutex> lock(mutex);
        while (!stopping)
            changed.wait(lock); //~ violation
    }) {}
    ~Worker() {
        stopping = true;
        changed.notify_one();
        thread.join(); //~ violation
    }
};

int main() {
    Worker worker;
}
