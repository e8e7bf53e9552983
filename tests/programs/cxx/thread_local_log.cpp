// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Every thread has its own buffer, destroyed when it ends.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

static std::atomic<int> flushed{0};

struct Log {
    std::string lines;
    ~Log() { flushed += static_cast<int>(lines.size()); }
};
thread_local Log log_of_thread;

int main() {
    std::thread a([] { log_of_thread.lines += "ab"; });
    a.join();
    std::thread b([] { log_of_thread.lines += "c"; });
    b.join();
    assert(flushed == 3);
}
