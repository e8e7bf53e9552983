// <future> and std::call_once: what their headers leave to the library.
#include <cerrno>
#include <climits>
#include <future>
#include <linux/futex.h>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

namespace std {

extern "C" void __selvedge_unsupported(const char *) __attribute__((noreturn));

__thread void *__once_callable;
__thread void (*__once_call)();
extern "C" void __once_proxy() {
    try {
        __once_call();
    } catch (...) {
        __selvedge_unsupported("an exception that leaves std::call_once");
    }
}

future_error::~future_error() noexcept {}
const char *future_error::what() const noexcept { return "std::future_error"; }
void __throw_future_error(int code) { throw future_error(make_error_code(future_errc(code))); }

namespace {
struct category final : error_category {
    const char *name() const noexcept override { return "future"; }
    string message(int) const override { return "future"; }
};
} // namespace
const error_category &future_category() noexcept {
    static category made;
    return made;
}

// Waiting for the result, over futexes.
static bool wait_for_change(unsigned *word, unsigned old, const timespec *until, int clock) {
    int operation = FUTEX_WAIT_BITSET_PRIVATE | clock;
    return syscall(SYS_futex, word, operation, old, until, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 || errno != ETIMEDOUT;
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned *word, unsigned old, bool timed, chrono::seconds s,
                                                       chrono::nanoseconds ns) {
    timespec until{static_cast<time_t>(s.count()), static_cast<long>(ns.count())};
    return wait_for_change(word, old, timed ? &until : nullptr, FUTEX_CLOCK_REALTIME);
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned *word, unsigned old, bool timed,
                                                              chrono::seconds s, chrono::nanoseconds ns) {
    timespec until{static_cast<time_t>(s.count()), static_cast<long>(ns.count())};
    return wait_for_change(word, old, timed ? &until : nullptr, 0);
}
void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

} // namespace std
