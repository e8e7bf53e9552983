// check: unsafe memory
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// The thread keeps a plain pointer to what the shared pointer may have destroyed.
#include <memory>
#include <thread>

struct Session {
    int id = 7;
};

int main() {
    auto session = std::make_shared<Session>();
    Session *raw = session.get();
    int id = 0;
    std::thread reader([raw, &id] { id = raw->id; }); //~ violation
    session.reset();
    reader.join();
}
