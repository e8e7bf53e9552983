// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
#include <cassert>
#include <mutex>
#include <thread>

class Tree {
    std::recursive_mutex mutex;
    int nodes = 0;

  public:
    void add(int depth) {
        std::lock_guard<std::recursive_mutex> lock(mutex);
        nodes++;
        if (depth > 0)
            add(depth - 1);
    }
    int size() {
        std::lock_guard<std::recursive_mutex> lock(mutex);
        return nodes;
    }
};

int main() {
    Tree tree;
    std::thread other([&] { tree.add(1); });
    tree.add(1);
    other.join();
    assert(tree.size() == 4);
}
