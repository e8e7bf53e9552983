// <thread>: what its header leaves to the library, over pthreads.
#include <cerrno>
#include <system_error>
#include <thread>

namespace std {

thread::_State::~_State() = default;

void thread::_M_start_thread(_State_ptr state, void (*)()) {
    // An exception that leaves the thread's function ends the process.
    auto run = [](void *own) noexcept -> void * {
        _State_ptr state{static_cast<_State *>(own)};
        state->_M_run();
        return nullptr;
    };
    if (int error = pthread_create(&_M_id._M_thread, nullptr, run, state.get()))
        __throw_system_error(error);
    state.release();
}

void thread::join() {
    int error = EINVAL;
    if (_M_id != id())
        error = pthread_join(_M_id._M_thread, nullptr);
    if (error)
        __throw_system_error(error);
    _M_id = id();
}

void thread::detach() {
    int error = EINVAL;
    if (_M_id != id())
        error = pthread_detach(_M_id._M_thread);
    if (error)
        __throw_system_error(error);
    _M_id = id();
}

unsigned thread::hardware_concurrency() noexcept { return 2; }

} // namespace std
