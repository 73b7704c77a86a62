// SPDX-License-Identifier: Apache-2.0
#include "api/window_mistakes.hpp"

#include <utility>

#include "abi/mistakes.hpp"
#include "api/buffer_use.hpp"
#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "rma/window.hpp"

namespace lisle::abi {

void window_mistakes::created(const rma::window &made, const void *base) {
    watched_list used{false};
    used.add(watched_memory::use::writes, {{const_cast<void *>(base), made.facts.size, byte_type()}});
    const std::scoped_lock guard{mutex_};
    windows_[&made] = {.made = current_address(), .holder = holder_of(used)};
}

void window_mistakes::look_for_memory_locked(known &of) {
    if (of.holder && stack_frames{}.has_ended(*of.holder)) {
        report_mistake(sentence("the memory of the window that ", in_words(of.made),
                                " made does not exist any more in ", in_words(current_address()), ": ",
                                function_has_returned));
        of.holder.reset();
    }
}

void window_mistakes::fences(const rma::window &on, bool closes, bool opens) {
    const std::scoped_lock guard{mutex_};
    known &of = windows_[&on];
    look_for_memory_locked(of);
    if (closes && of.fence && of.lock && of.accessed_locked) {
        report_mistake(sentence(in_words(current_address()), " ends an epoch that ", in_words(*of.fence),
                                " began, in which ", in_words(*of.lock), " began another one on the window"));
    }
    if (!closes && on.access.has_used_fence()) {
        report_mistake(sentence(
            in_words(current_address()), " says MPI_MODE_NOPRECEDE, but there are accesses ",
            of.fence ? "since " + in_words(*of.fence) : "since a fence", ", which it does not complete"));
    }
    of.fence = opens ? std::optional{current_address()} : std::nullopt;
    of.lock.reset();
    of.accessed_locked = false;
}

void window_mistakes::locks(const rma::window &on) {
    const std::scoped_lock guard{mutex_};
    known &of = windows_[&on];
    look_for_memory_locked(of);
    if (!of.lock) {
        of.lock = current_address();
    }
}

void window_mistakes::accesses(const rma::window &on) {
    const std::scoped_lock guard{mutex_};
    known &of = windows_[&on];
    of.accessed_locked = of.lock.has_value();
}

void window_mistakes::frees(rma::window &ended) {
    const std::scoped_lock guard{mutex_};
    known of = std::exchange(windows_[&ended], {});
    windows_.erase(&ended);
    look_for_memory_locked(of);
    if (ended.access.has_used_fence()) {
        report_mistake(
            sentence(in_words(current_address()), " frees a window with accesses that ",
                     of.fence ? "no MPI_Win_fence after " + in_words(*of.fence) : "no MPI_Win_fence",
                     " has completed"));
    }
}

} // namespace lisle::abi
