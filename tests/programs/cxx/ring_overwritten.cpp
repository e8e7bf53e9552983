// check: unsafe assertion
// Full is one too late.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

template <typename T, unsigned Size> class Ring {
    std::array<T, Size> slots{};
    std::atomic<unsigned> head{0}, tail{0};

  public:
    bool push(const T &value) {
        unsigned at = tail.load();
        if (at - head.load() > Size)
            return false;
        slots[at % Size] = value;
        tail.store(at + 1);
        return true;
    }
    bool pop(T &value) {
        unsigned at = head.load();
        if (at == tail.load())
            return false;
        value = slots[at % Size];
        head.store(at + 1);
        return true;
    }
};

int main() {
    static Ring<int, 2> ring;
    std::thread producer([] {
        for (int i = 0; i < 3; i++)
            while (!ring.push(i))
                std::this_thread::yield();
    });
    for (int i = 0; i < 3; i++) {
        int value;
        while (!ring.pop(value))
            std::this_thread::yield();
        assert(value == i); //~ violation
    }
    producer.join();
}
