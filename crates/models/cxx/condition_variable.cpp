// <condition_variable>: what its header leaves to the library, over pthreads.
#include <condition_variable>

namespace std {

condition_variable::condition_variable() noexcept = default;
condition_variable::~condition_variable() noexcept = default;
void condition_variable::notify_one() noexcept { pthread_cond_signal(native_handle()); }
void condition_variable::notify_all() noexcept { pthread_cond_broadcast(native_handle()); }
#if _GLIBCXX_RELEASE < 12
void condition_variable::wait(unique_lock<mutex> &lock) noexcept
#else
void condition_variable::wait(unique_lock<mutex> &lock)
#endif
{
    pthread_cond_wait(native_handle(), lock.mutex()->native_handle());
}

} // namespace std
