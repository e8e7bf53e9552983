// check: safe
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int opened;

static void open_file() { opened++; }
static void use() {
    std::call_once(flag, open_file);
    assert(opened == 1);
}

int main() {
    std::thread a(use), b(use);
    a.join();
    b.join();
}
