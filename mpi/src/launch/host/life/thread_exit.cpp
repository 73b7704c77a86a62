// SPDX-License-Identifier: Apache-2.0
#include "launch/host/life/thread_exit.hpp"

#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

namespace lisle::host {

struct thread_exit {
    void (*function)(void *);
    void *object;
    thread_exit *next;
};

namespace {
const real<"__cxa_thread_atexit_impl", int(void (*)(void *), void *, void *)> real_thread_atexit;
}

void run_thread_exits() noexcept {
    thread_notes &notes = architecture::notes();
    while (thread_exit *const entry = notes.exits) {
        notes.exits = entry->next;
        entry->function(entry->object);
        delete entry;
    }
}

} // namespace lisle::host

// The C++ library registers each thread-local object with a destructor here.
extern "C" int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library) {
    using namespace lisle::host;
    thread_notes &notes = architecture::notes();
    if (!notes.first) {
        return lisle::host::real_thread_atexit(function, object, library);
    }
    notes.exits = new thread_exit{function, object, notes.exits};
    return 0;
}
