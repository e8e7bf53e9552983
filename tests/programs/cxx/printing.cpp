// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Output goes nowhere; numbers become text and back.
#include <cassert>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

static std::mutex output;

static void say(int id) {
    std::lock_guard<std::mutex> lock(output);
    std::cout << "thread " << id << " of " << std::thread::hardware_concurrency() << std::endl;
}

int main() {
    std::thread other(say, 1);
    say(0);
    other.join();
    assert(std::to_string(12) + "ab" == "12ab");
    assert(std::stoi("42") == 42);
}
