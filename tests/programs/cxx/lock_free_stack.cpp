// check: safe
// Nodes are never used again, so there is no ABA.
#include <atomic>
#include <cassert>
#include <thread>

template <typename T> class Stack {
    struct Node {
        T value;
        Node *next;
    };
    std::atomic<Node *> top{nullptr};

  public:
    void push(T value) {
        Node *node = new Node{value, top.load()};
        while (!top.compare_exchange_weak(node->next, node))
            ;
    }
    bool pop(T &value) {
        Node *node = top.load();
        while (node && !top.compare_exchange_weak(node, node->next))
            ;
        if (!node)
            return false;
        value = node->value;
        return true;
    }
};

int main() {
    Stack<int> stack;
    stack.push(1);
    std::atomic<int> sum{0};
    std::thread other([&] {
        int value;
        if (stack.pop(value))
            sum += value;
    });
    stack.push(2);
    int value;
    if (stack.pop(value))
        sum += value;
    other.join();
    assert(sum == 3);
    assert(!stack.pop(value));
}
