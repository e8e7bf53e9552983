// <future> and std::call_once: what their headers leave to the library.
#include <future>
#include <mutex>

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

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

} // namespace std
