// check: safe
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// scoped_lock takes both locks in whatever order there is one.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    long balance = 100;
};

static void transfer(Account &from, Account &to, long amount) {
    std::scoped_lock both(from.mutex, to.mutex);
    from.balance -= amount;
    to.balance += amount;
}

int main() {
    Account savings, current;
    std::thread one(transfer, std::ref(savings), std::ref(current), 10);
    std::thread two(transfer, std::ref(current), std::ref(savings), 20);
    one.join();
    two.join();
    assert(savings.balance + current.balance == 200);
}
