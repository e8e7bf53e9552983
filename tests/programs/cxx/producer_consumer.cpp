// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// A bounded queue of two condition variables: every item arrives once and in order.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
    std::mutex mutex;
    std::condition_variable not_empty, not_full;
    std::deque<int> items;

  public:
    void put(int item) {
        std::unique_lock<std::mutex> lock(mutex);
        not_full.wait(lock, [this] { return items.size() < 1; });
        items.push_back(item);
        not_empty.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> lock(mutex);
        not_empty.wait(lock, [this] { return !items.empty(); });
        int item = items.front();
        items.pop_front();
        not_full.notify_one();
        return item;
    }
};

int main() {
    Queue queue;
    std::thread producer([&] {
        for (int i = 0; i < 2; i++)
            queue.put(i);
    });
    for (int i = 0; i < 2; i++)
        assert(queue.take() == i);
    producer.join();
}
