// SPDX-License-Identifier: Apache-2.0
// Views and owners of MPI's objects. A view (communicator, group, ...) is a handle with functions: cheap to
// copy, it frees nothing. owned<View> is the same with the duty to free it, and can only be moved.
#pragma once

#include <utility>

#include "lisle/detail/config.hpp"

namespace lisle {

namespace detail {

/// False before MPI_Init and after MPI_Finalize, when a rank keeps nothing.
inline bool running() noexcept {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}
/// False after MPI_Finalize, when nothing can be freed any more. A handle that exists without MPI_Init is one
/// of a session.
inline bool may_free() noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized == 0;
}

} // namespace detail

/// What owned<> can own.
template <class View>
concept ownable = requires(View view, typename View::native_type handle) {
    View{handle};
    {view.native()};
    View::free(handle);
    {View::null()};
};

/// An object that is freed at the end of the scope. Use it wherever its view is wanted.
///
///     lisle::owned<lisle::communicator> half = world.split(world.rank() % 2);
///     half.barrier();                                  // freed here, or at the latest when it is moved away
///     MPI_Comm raw = half.release();                   // now the caller's duty
template <class View> class [[nodiscard]] owned : public View {
  public:
    using native_type = typename View::native_type;

    owned() noexcept : View{View::null()} {}
    /// Takes the duty to free `handle`.
    explicit owned(native_type handle) noexcept : View{handle} {}
    owned(owned &&other) noexcept : View{other.release()} {}
    owned &operator=(owned &&other) noexcept {
        if (this != &other)
            reset(other.release());
        return *this;
    }
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    ~owned() {
        static_assert(ownable<View>);
        reset();
    }

    /// Gives the handle away without freeing it.
    [[nodiscard]] native_type release() noexcept {
        const native_type handle = this->native();
        static_cast<View &>(*this) = View{View::null()};
        return handle;
    }
    /// Frees what is owned and owns `handle` instead. Does nothing after MPI_Finalize, so global objects are
    /// safe.
    void reset(native_type handle = View::null()) noexcept {
        native_type old = release();
        if (old != View::null() && detail::may_free())
            View::free(old);
        static_cast<View &>(*this) = View{handle};
    }
    /// The cheap view of it.
    [[nodiscard]] View view() const noexcept { return *this; }
};

} // namespace lisle
