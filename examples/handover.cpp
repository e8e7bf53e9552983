// A queue between threads. Whoever puts an item wakes a consumer, but only if the queue was empty: if two items come before the
// first consumer has woken up, the second consumer sleeps for ever.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

class Queue {
    std::mutex mutex;
    std::condition_variable not_empty;
    std::queue<int> items;

  public:
    void put(int item) {
        std::lock_guard<std::mutex> lock(mutex);
        items.push(item);
        if (items.size() == 1)
            not_empty.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> lock(mutex);
        not_empty.wait(lock, [this] { return !items.empty(); });
        int item = items.front();
        items.pop();
        return item;
    }
};

int main() {
    Queue queue;
    std::thread first([&] { queue.take(); });
    std::thread second([&] { queue.take(); });
    queue.put(1);
    queue.put(2);
    first.join();
    second.join();
}
