// check: unsafe
// The thread is declared before what it uses, and nobody joins it before the rest is destroyed.
#include <memory>
#include <thread>

struct Joining {
    std::thread thread;
    ~Joining() {
        if (thread.joinable())
            thread.join();
    }
};

struct Server {
    Joining worker; // destroyed last
    std::unique_ptr<int> state = std::make_unique<int>(1);
    void start() {
        worker.thread = std::thread([this] { *state = 2; }); //~ violation
    }
};

int main() {
    Server server;
    server.start();
}
