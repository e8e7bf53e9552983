// check: safe
// One producer, one consumer, a ring of a power of two, no locks.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

template <typename T, unsigned Size> class Ring {
    std::array<T, Size> slots{};
    std::atomic<unsigned> head{0}, tail{0};

  public:
    bool push(const T &value) {
        unsigned at = tail.load(std::memory_order_relaxed);
        if (at - head.load(std::memory_order_acquire) == Size)
            return false;
        slots[at % Size] = value;
        tail.store(at + 1, std::memory_order_release);
        return true;
    }
    bool pop(T &value) {
        unsigned at = head.load(std::memory_order_relaxed);
        if (at == tail.load(std::memory_order_acquire))
            return false;
        value = slots[at % Size];
        head.store(at + 1, std::memory_order_release);
        return true;
    }
};

int main() {
    static Ring<int, 2> ring;
    std::thread producer([] {
        for (int i = 0; i < 4; i++)
            while (!ring.push(i))
                std::this_thread::yield();
    });
    for (int i = 0; i < 4; i++) {
        int value;
        while (!ring.pop(value))
            std::this_thread::yield();
        assert(value == i);
    }
    producer.join();
}
