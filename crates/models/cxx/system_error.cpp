// <system_error>: error codes of the system, which the thread classes throw. Their texts are not the system's.
#include <system_error>

namespace std {

error_category::~error_category() noexcept {}
error_condition error_category::default_error_condition(int code) const noexcept { return error_condition(code, *this); }
bool error_category::equivalent(int code, const error_condition &other) const noexcept {
    return default_error_condition(code) == other;
}
bool error_category::equivalent(const error_code &other, int code) const noexcept {
    return *this == other.category() && other.value() == code;
}

namespace {
struct category final : error_category {
    const char *text;
    explicit category(const char *name) : text(name) {}
    const char *name() const noexcept override { return text; }
    string message(int) const override { return text; }
};
} // namespace

_V2::error_category &selvedge_generic() {
    static category made("generic");
    return made;
}
const error_category &_V2::generic_category() noexcept { return selvedge_generic(); }
const error_category &_V2::system_category() noexcept {
    static category made("system");
    return made;
}
error_condition error_code::default_error_condition() const noexcept {
    return category().default_error_condition(value());
}
system_error::~system_error() noexcept {}

void __throw_system_error(int code) { throw system_error(error_code(code, generic_category())); }

} // namespace std
