// Exceptions of the standard library: their classes, the functions that throw them, and exception_ptr.
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <typeinfo>
#include <cstring>
#include <cstdlib>

// ---- the heap ----

void *operator new(std::size_t size) {
    if (void *p = std::malloc(size))
        return p;
    throw std::bad_alloc();
}
void *operator new[](std::size_t size) { return operator new(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return std::malloc(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return std::malloc(size); }
void *operator new(std::size_t size, std::align_val_t align) {
    if (void *p = std::aligned_alloc(static_cast<std::size_t>(align), size))
        return p;
    throw std::bad_alloc();
}
void *operator new[](std::size_t size, std::align_val_t align) { return operator new(size, align); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }
void operator delete(void *p, const std::nothrow_t &) noexcept { std::free(p); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { std::free(p); }
void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }

// ---- classes ----

namespace std {

const nothrow_t nothrow{};

type_info::~type_info() {}

exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() noexcept {}
const char *bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() noexcept {}
const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() noexcept {}
const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
bad_cast::~bad_cast() noexcept {}
const char *bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() noexcept {}
const char *bad_typeid::what() const noexcept { return "std::bad_typeid"; }
bad_function_call::~bad_function_call() noexcept {}
const char *bad_function_call::what() const noexcept { return "bad_function_call"; }

// The text of an exception is a copy.
static const char *copied(const char *text, size_t length) {
    char *copy = static_cast<char *>(operator new(length + 1));
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

__cow_string::__cow_string() : _M_p(copied("", 0)) {}
__cow_string::__cow_string(const string &text) : _M_p(copied(text.data(), text.size())) {}
__cow_string::__cow_string(const char *text, size_t length) : _M_p(copied(text, length)) {}
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(copied(other._M_p, strlen(other._M_p))) {}
__cow_string &__cow_string::operator=(const __cow_string &other) noexcept {
    const char *before = _M_p;
    _M_p = copied(other._M_p, strlen(other._M_p));
    operator delete(const_cast<char *>(before));
    return *this;
}
__cow_string::__cow_string(__cow_string &&other) noexcept : _M_p(other._M_p) { other._M_p = copied("", 0); }
__cow_string &__cow_string::operator=(__cow_string &&other) noexcept {
    const char *mine = _M_p;
    _M_p = other._M_p;
    other._M_p = mine;
    return *this;
}
__cow_string::~__cow_string() { operator delete(const_cast<char *>(_M_p)); }

logic_error::logic_error(const string &text) : _M_msg(text) {}
logic_error::logic_error(const char *text) : _M_msg(text, strlen(text)) {}
logic_error::logic_error(const logic_error &) noexcept = default;
logic_error &logic_error::operator=(const logic_error &) noexcept = default;
logic_error::logic_error(logic_error &&) noexcept = default;
logic_error &logic_error::operator=(logic_error &&) noexcept = default;
logic_error::~logic_error() noexcept {}
const char *logic_error::what() const noexcept { return _M_msg._M_p; }
runtime_error::runtime_error(const string &text) : _M_msg(text) {}
runtime_error::runtime_error(const char *text) : _M_msg(text, strlen(text)) {}
runtime_error::runtime_error(const runtime_error &) noexcept = default;
runtime_error &runtime_error::operator=(const runtime_error &) noexcept = default;
runtime_error::runtime_error(runtime_error &&) noexcept = default;
runtime_error &runtime_error::operator=(runtime_error &&) noexcept = default;
runtime_error::~runtime_error() noexcept {}
const char *runtime_error::what() const noexcept { return _M_msg._M_p; }

#define DERIVED(name, base) \
    name::name(const string &text) : base(text) {} \
    name::name(const char *text) : base(text) {} \
    name::~name() noexcept {}
DERIVED(domain_error, logic_error)
DERIVED(invalid_argument, logic_error)
DERIVED(length_error, logic_error)
DERIVED(out_of_range, logic_error)
DERIVED(range_error, runtime_error)
DERIVED(overflow_error, runtime_error)
DERIVED(underflow_error, runtime_error)

// ---- who throws ----

void __throw_bad_exception() { throw bad_exception(); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_bad_typeid() { throw bad_typeid(); }
void __throw_bad_function_call() { throw bad_function_call(); }
void __throw_logic_error(const char *text) { throw logic_error(text); }
void __throw_domain_error(const char *text) { throw domain_error(text); }
void __throw_invalid_argument(const char *text) { throw invalid_argument(text); }
void __throw_length_error(const char *text) { throw length_error(text); }
void __throw_out_of_range(const char *text) { throw out_of_range(text); }
void __throw_out_of_range_fmt(const char *text, ...) { throw out_of_range(text); }
void __throw_runtime_error(const char *text) { throw runtime_error(text); }
void __throw_range_error(const char *text) { throw range_error(text); }
void __throw_overflow_error(const char *text) { throw overflow_error(text); }
void __throw_underflow_error(const char *text) { throw underflow_error(text); }

// ---- exceptions that are kept ----

extern "C" void *__selvedge_caught(void);
extern "C" void __selvedge_keep_exception(void *);
extern "C" void __selvedge_drop_exception(void *);
extern "C" void __selvedge_throw_kept(void *);

namespace __exception_ptr {
exception_ptr::exception_ptr(void *object) noexcept : _M_exception_object(object) { _M_addref(); }
void exception_ptr::_M_addref() noexcept { __selvedge_keep_exception(_M_exception_object); }
void exception_ptr::_M_release() noexcept {
    __selvedge_drop_exception(_M_exception_object);
    _M_exception_object = nullptr;
}
void *exception_ptr::_M_get() const noexcept { return _M_exception_object; }
} // namespace __exception_ptr

exception_ptr current_exception() noexcept {
    void *object = __selvedge_caught();
    return object ? exception_ptr(object) : exception_ptr();
}

void rethrow_exception(exception_ptr kept) {
    __selvedge_throw_kept(kept._M_exception_object);
    __builtin_unreachable();
}

} // namespace std

extern "C" void __cxa_bad_cast() { throw std::bad_cast(); }
extern "C" void __cxa_bad_typeid() { throw std::bad_typeid(); }
extern "C" void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }
