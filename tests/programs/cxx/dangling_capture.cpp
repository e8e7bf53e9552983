// check: unsafe memory
// A detached thread refers to a local variable of a function that has returned.
#include <thread>

static void start() {
    int rounds = 3;
    std::thread([&rounds] { rounds--; }).detach(); //~ violation
}

int main() {
    start();
}
