// check: safe
// args: --std=c++20
// A jthread is asked to stop, and joined, by its destructor.
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

static std::atomic<int> rounds{0};

int main() {
    {
        std::jthread worker([](std::stop_token token) {
            while (!token.stop_requested())
                std::this_thread::yield();
            rounds = 1;
        });
    }
    assert(rounds == 1);
}
