// check: unsafe assertion
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Between looking up and inserting the lock is released: the value is computed twice.
#include <cassert>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

class Cache {
    std::mutex mutex;
    std::unordered_map<int, int> values;
    int computed = 0;

    std::optional<int> find(int key) {
        std::lock_guard lock(mutex);
        if (auto it = values.find(key); it != values.end())
            return it->second;
        return std::nullopt;
    }

  public:
    int get(int key) {
        if (auto known = find(key))
            return *known;
        int value = key * key;
        std::lock_guard lock(mutex);
        assert(++computed == 1); //~ violation
        values.emplace(key, value);
        return value;
    }
};

int main() {
    Cache cache;
    std::thread other([&] { cache.get(3); });
    cache.get(3);
    other.join();
}
