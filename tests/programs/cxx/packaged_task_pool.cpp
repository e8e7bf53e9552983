// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// A pool of one worker that runs packaged tasks in order, and ends when told.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

class Pool {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool stopping = false;
    std::thread worker{[this] { run(); }};

    void run() {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [this] { return stopping || !tasks.empty(); });
            if (tasks.empty())
                return;
            auto task = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            task();
        }
    }

  public:
    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            stopping = true;
        }
        changed.notify_all();
        worker.join();
    }
    template <typename F> auto submit(F f) {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(f);
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> lock(mutex);
            tasks.emplace_back([task] { (*task)(); });
        }
        changed.notify_one();
        return result;
    }
};

int main() {
    Pool pool;
    auto square = pool.submit([] { return 3 * 3; });
    assert(square.get() == 9);
}
