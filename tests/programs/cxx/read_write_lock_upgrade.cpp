// check: unsafe deadlock
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Both hold the lock as readers while they ask for it as writers.
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int value;

static void increase() {
    std::shared_lock reading(mutex);
    int next = value + 1;
    std::unique_lock writing(mutex); //~ violation
    value = next;
}

int main() {
    std::thread other(increase);
    increase();
    other.join(); //~ violation
}
