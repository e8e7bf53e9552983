// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// The last owner destroys the object, once, whoever that is.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

static std::atomic<int> destroyed{0};

struct Session {
    int id = 7;
    ~Session() { destroyed++; }
};

int main() {
    {
        auto session = std::make_shared<Session>();
        std::thread reader([copy = session] { assert(copy->id == 7); });
        session.reset();
        reader.join();
    }
    assert(destroyed == 1);
}
