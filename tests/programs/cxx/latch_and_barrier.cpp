// check: safe
// args: --std=c++20
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

static std::latch ready(2);
static std::binary_semaphore gate(0);
static int data;

int main() {
    std::thread worker([] {
        data = 5;
        ready.count_down();
        gate.acquire();
        data = 6;
    });
    ready.count_down();
    ready.wait();
    assert(data == 5);
    gate.release();
    worker.join();
    assert(data == 6);
}
