// check: unsafe assertion
// Nodes come from a pool and go back to it: between a pop's look at `next` and its exchange the same node may have
// been taken away and put back on top of another.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
    Node *next = nullptr;
    std::atomic<int> users{0};
};

class Stack {
    std::atomic<Node *> top{nullptr};

  public:
    void push(Node *node) {
        node->next = top.load();
        while (!top.compare_exchange_weak(node->next, node)) {
        }
    }
    Node *pop() {
        Node *node = top.load();
        while (node) {
            Node *next = node->next;
            if (top.compare_exchange_strong(node, next))
                return node;
        }
        return nullptr;
    }
};

static Node pool[2];
static Stack stack;

static Node *take() {
    Node *node = stack.pop();
    if (node)
        assert(node->users.fetch_add(1) == 0); //~ violation
    return node;
}

static void give(Node *node) {
    node->users--;
    stack.push(node);
}

int main() {
    for (Node &node : pool)
        stack.push(&node);
    std::thread holder([] {
        Node *first = take();
        Node *second = take();
        if (first)
            give(first);
        (void)second;
    });
    take();
    take();
    holder.join();
}
