// SPDX-License-Identifier: Apache-2.0
#include "protocol/tracks.hpp"

#include "base/settings.hpp"
#include "execution/doorbell.hpp"
#include "fabric/routes_by_track.hpp"
#include "protocol/device_threads.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/channel.hpp"
#include "protocol/message/track.hpp"

namespace lisle::protocol {

tracks::tracks(fabric::routes_by_track &routes, rank &owner, device_threads *threads)
    : routes_{routes}, owner_{owner}, threads_{threads} {
    make(0);
}

engine &tracks::make(int track) {
    auto *const made = new engine{routes_, owner_, track, waiters_};
    waiters_.add(track, made->waits());
    made->out().keep_general(general_ != 0);
    // Release: pairs with the acquire in find(), so the engine is seen whole.
    engines_[static_cast<std::size_t>(track)].store(made, std::memory_order_release);
    return *made;
}

tracks::~tracks() {
    end_service(); // of a rank that has not finalized
    each([](engine &ended) { delete &ended; });
}

engine &tracks::open(std::uint64_t context) {
    const int track = track_of(context);
    if (engine *const found = find(track)) [[likely]] {
        return *found;
    }
    const std::scoped_lock guard{opening_};
    if (engine *const found = find(track)) {
        return *found;
    }
    engine &made = make(track);
    // Threads of the rank that sleep would not hear of what arrives there.
    owner_.bell().ring();
    return made;
}

void tracks::begin_service() {
    if (threads_ != nullptr) {
        threads_->serve(owner_);
    }
}

void tracks::end_service() {
    if (threads_ != nullptr) {
        threads_->dismiss(owner_);
    }
}

void tracks::keep_general(int change) {
    const std::scoped_lock guard{opening_};
    general_ += change;
    each([this](engine &one) { one.out().keep_general(general_ != 0); });
}

bool tracks::drained() const {
    bool all = true;
    each([&all](engine &one) { all = one.out().drained() && all; });
    return all;
}

int tracks::choose(std::uint64_t n) const {
    const auto most = static_cast<std::uint64_t>(value_of(setting::tracks));
    const int track = static_cast<int>((n + 1) % most); // MPI_COMM_WORLD is on the first
    return spread_.load(std::memory_order_relaxed) && !routes_.reach_other_jobs() &&
                   routes_.find(track) != nullptr
               ? track
               : 0;
}

engine &engine_for(std::uint64_t context) {
    return this_rank().tracks().open(context);
}

channel make_channel(std::uint64_t context, int self, const group &peers, const std::uint64_t *lanes) {
    return {context, self, &peers, lanes, &engine_for(context)};
}

} // namespace lisle::protocol
