// <chrono>: clocks, over clock_gettime. Behind a wait that has timed out a clock has got to where the wait ended.
#include <chrono>
#include <ctime>

extern "C" bool __selvedge_waited_until(timespec *);

namespace std {
namespace chrono {
inline namespace _V2 {

system_clock::time_point system_clock::now() noexcept {
    timespec t;
    if (!__selvedge_waited_until(&t))
        clock_gettime(CLOCK_REALTIME, &t);
    return time_point(chrono::seconds(t.tv_sec) + chrono::nanoseconds(t.tv_nsec));
}
steady_clock::time_point steady_clock::now() noexcept {
    timespec t;
    if (!__selvedge_waited_until(&t))
        clock_gettime(CLOCK_MONOTONIC, &t);
    return time_point(chrono::seconds(t.tv_sec) + chrono::nanoseconds(t.tv_nsec));
}

} // namespace _V2
} // namespace chrono
} // namespace std
