// check: unsafe
// A member function that holds the lock calls another that takes it.
#include <mutex>

class Counter {
    std::mutex mutex;
    int value = 0;

  public:
    void add(int n) {
        std::lock_guard<std::mutex> lock(mutex); //~ violation
        value += n;
    }
    void twice() {
        std::lock_guard<std::mutex> lock(mutex);
        add(value);
    }
};

int main() {
    Counter counter;
    counter.add(1);
    counter.twice();
}
