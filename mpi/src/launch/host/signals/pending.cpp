// SPDX-License-Identifier: Apache-2.0
#include "launch/host/signals/pending.hpp"

namespace lisle::host {

bool pending_signals::add(const siginfo_t &what, signal_places &places) noexcept {
    const signal_bits bit = bit_of(what.si_signo);
    const bool is_standard = what.si_signo < __SIGRTMIN;
    if (is_standard && (set() & bit) != 0) {
        return true;
    }
    signal_places::place *const place = places.take();
    if (place == nullptr) {
        return false;
    }
    place->what = what;
    place->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = place;
    last_ = place;
    set_to(set() | bit);
    return true;
}

bool pending_signals::take(int signal, siginfo_t &into, signal_places &places) noexcept {
    if ((set() & bit_of(signal)) == 0) {
        return false;
    }
    signal_places::place *before = nullptr;
    signal_places::place *found = first_;
    while (found->what.si_signo != signal) {
        before = found;
        found = found->next;
    }
    into = found->what;
    (before == nullptr ? first_ : before->next) = found->next;
    last_ = last_ == found ? before : last_;
    bool more = false;
    for (const auto *each = found->next; each != nullptr && !more; each = each->next) {
        more = each->what.si_signo == signal;
    }
    places.give_back(*found);
    if (!more) {
        set_to(set() & ~bit_of(signal));
    }
    return true;
}

void pending_signals::drop(int signal, signal_places &places) noexcept {
    for (siginfo_t forgotten; take(signal, forgotten, places);) {
    }
}

} // namespace lisle::host
