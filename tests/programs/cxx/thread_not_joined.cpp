// check: unsafe abort
// The destructor of a thread that was neither joined nor detached ends the process.
#include <atomic>
#include <thread>

static std::atomic<bool> failed{false};

int main() {
    std::thread worker([] { failed = true; });
    if (failed)
        return 1; // forgets to join
    worker.join();
}
