// SPDX-License-Identifier: Apache-2.0
// Threads that a rank starts (pthread_create, thrd_create, std::thread, OpenMP) belong to that rank: they
// get its thread-local variables and count as its threads until they end.
#include "base/sanitizer_calls.hpp"
#include "launch/host/image/private_object.hpp"
#include "launch/host/life/faults.hpp"
#include "launch/host/life/life.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"
#include "launch/host/waiting/blocking.hpp"
#include "library/host_interface.h"

#include <cerrno>
#include <memory>
#include <new>
#include <pthread.h>
#include <threads.h>

namespace {

using lisle::host::hosted_rank;
using lisle::host::real_create;

struct start_request {
    void *(*start)(void *);
    void *argument;
    hosted_rank *rank;
};

void *run_thread(void *opaque) {
    const start_request request = *static_cast<start_request *>(opaque);
    delete static_cast<start_request *>(opaque);
    const lisle::host::alternate_stack signals;
    {
        const lisle::locks_unseen own;
        lisle_host_become(request.rank->in_library);
        lisle::host::join_rank(*request.rank, false);
    }
    return request.start(request.argument);
}

/// Attributes like the given ones, with room for the reserved block and for `frames` added to a small stack:
/// a program that asks for 16 KiB means 16 KiB for itself.
class roomy_attributes {
  public:
    explicit roomy_attributes(const pthread_attr_t *wanted) : used_(wanted) {
        std::size_t size = 0;
        void *stack = nullptr;
        if (wanted != nullptr && pthread_attr_getstack(wanted, &stack, &size) == 0 && size != 0 &&
            stack_is_default(stack, size) && size < large) {
            copy_ = *wanted;
            pthread_attr_setstacksize(&copy_, size + lisle::host::architecture::thread_local_room +
                                                  lisle::host::alternate_stack::bytes + frames);
            used_ = &copy_;
        }
    }
    [[nodiscard]] const pthread_attr_t *get() const { return used_; }

  private:
    static constexpr std::size_t large = std::size_t{1} << 20;
    // For this file's functions beneath the program's and above them, and for what the loader saves when one
    // of them is the first to call another: all of the processor's registers, 3 KiB of them with AVX-512.
    static constexpr std::size_t frames = 8192;
    // 0 stands for the default size. Without a stack of the caller's, the library reports its (null) end
    // minus the size.
    static bool stack_is_default(const void *stack, std::size_t size) {
        return reinterpret_cast<std::uintptr_t>(stack) + size == 0;
    }
    pthread_attr_t copy_; // shares what the original points to, so it is never destroyed
    const pthread_attr_t *used_;
};

struct c11_request {
    thrd_start_t start;
    void *argument;
};

void *run_c11(void *opaque) {
    const std::unique_ptr<c11_request> owned(static_cast<c11_request *>(opaque));
    const c11_request request = *owned;
    return reinterpret_cast<void *>(static_cast<std::intptr_t>(request.start(request.argument)));
}

} // namespace

namespace lisle::host {

namespace {

// Whether code of the C++ library in headers may leave atomics away: never among ranks. The program's copy
// would keep what it was when the image was loaded.
const private_objects thread_objects{
    {"__libc_single_threaded", 1, [](hosted_rank &, void *place) { *static_cast<char *>(place) = 0; }},
};

} // namespace

} // namespace lisle::host

extern "C" {

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_create(thread, attributes, start, argument);
    }
    auto *const request = new (std::nothrow) start_request{start, argument, rank};
    if (request == nullptr) {
        return EAGAIN;
    }
    lisle::host::expect_thread(*rank);
    const roomy_attributes roomy(attributes);
    const int error = real_create(thread, roomy.get(), &run_thread, request);
    if (error != 0) {
        lisle::host::forget_thread(*rank);
        delete request;
    }
    return error;
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
    auto *const request = new (std::nothrow) c11_request{start, argument};
    if (request == nullptr) {
        return thrd_nomem;
    }
    const int error = pthread_create(thread, nullptr, &run_c11, request);
    if (error != 0) {
        delete request;
    }
    return error == 0 ? thrd_success : error == EAGAIN ? thrd_nomem : thrd_error;
}

// Sanitizers follow POSIX's names only, so a thread that was created under one is also joined under one.
int thrd_join(thrd_t thread, int *result) {
    void *value = nullptr;
    if (lisle::host::join(thread, &value, __builtin_return_address(0)) != 0) {
        return thrd_error;
    }
    if (result != nullptr) {
        *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
    }
    return thrd_success;
}

int thrd_detach(thrd_t thread) {
    return pthread_detach(thread) == 0 ? thrd_success : thrd_error;
}

} // extern "C"
