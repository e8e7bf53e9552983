// check: unsafe deadlock
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Two consumers wait, and only the step from empty to one is announced, to one of them.
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Queue {
    std::mutex mutex;
    std::condition_variable not_empty;
    std::queue<int> items;

  public:
    void put(int item) {
        std::lock_guard<std::mutex> lock(mutex);
        bool was_empty = items.empty();
        items.push(item);
        if (was_empty)
            not_empty.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> lock(mutex);
        while (items.empty())
            not_empty.wait(lock); //~ violation
        int item = items.front();
        items.pop();
        return item;
    }
};

int main() {
    Queue queue;
    std::vector<std::thread> consumers;
    for (int i = 0; i < 2; i++)
        consumers.emplace_back([&queue] { queue.take(); });
    queue.put(1);
    queue.put(2);
    for (std::thread &consumer : consumers)
        consumer.join(); //~ violation
}
