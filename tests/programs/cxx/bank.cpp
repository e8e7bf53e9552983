// check: unsafe deadlock
// lazy: skip a lock that cannot be taken throws, and all that belongs to an exception is too much for a formula
// Two transfers in opposite directions take the same locks in opposite order.
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    long balance = 100;
};

static void transfer(Account &from, Account &to, long amount) {
    std::lock_guard<std::mutex> a(from.mutex);
    std::lock_guard<std::mutex> b(to.mutex); //~ violation
    from.balance -= amount;
    to.balance += amount;
}

int main() {
    Account savings, current;
    std::thread one(transfer, std::ref(savings), std::ref(current), 10);
    std::thread two(transfer, std::ref(current), std::ref(savings), 20);
    one.join();
    two.join();
}
