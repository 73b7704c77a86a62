// SPDX-License-Identifier: Apache-2.0
// The engines of one rank: one from the beginning, which serves all ranks that do not ask for threads that
// call at once, and one for each further track (track.hpp), made when the rank first becomes a member of a
// communicator there. What others send earlier waits in the mailbox.
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "fabric/track_count.hpp"
#include "protocol/progress/waiter.hpp"

namespace lisle {
class rank;
} // namespace lisle

namespace lisle::fabric {
class routes_by_track;
}

namespace lisle::protocol {

class device_threads;
class engine;

/// Thread-safe.
class tracks {
  public:
    /// @param routes of the rank's process; outlive this
    /// @param threads of the process, which move messages on; null: callers do. Outlive this
    tracks(fabric::routes_by_track &routes, rank &owner, device_threads *threads);
    ~tracks();
    tracks(const tracks &) = delete;
    tracks &operator=(const tracks &) = delete;

    /// The engine of a track; null if there is none yet.
    [[nodiscard]] engine *find(int track) const noexcept {
        // Acquire: pairs with the release in open(), so the engine is seen whole.
        return engines_[static_cast<std::size_t>(track)].load(std::memory_order_acquire);
    }
    /// The routes that all tracks of the process have.
    [[nodiscard]] fabric::routes_by_track &routes() const noexcept { return routes_; }
    /// The engine for messages with this context, made if need be. Throws if there is no such track.
    [[nodiscard]] engine &open(std::uint64_t context);
    /// True if there are engines besides the first.
    [[nodiscard]] bool several() const noexcept { return waiters_.several(); }

    /// Calls `function` with each engine there is.
    template <class Function> void each(Function function) const {
        for (int track = 0; track < fabric::most_tracks; ++track) {
            if (engine *const found = find(track)) {
                function(*found);
            }
        }
    }

    /// The rank begins to use MPI, or uses it no more: threads of the process move its messages on in
    /// between, if it has any. Both may be called again.
    void begin_service();
    void end_service();
    /// The threads that serve the rank when they do; null: none ever.
    [[nodiscard]] device_threads *threads() const noexcept { return threads_; }

    /// Something wants all messages to go the general ways, where calls note them: +1; no more: -1.
    void keep_general(int change);

    /// The engines that there are, for a debugger: null where there is none.
    [[nodiscard]] const std::atomic<engine *> *engines() const noexcept { return engines_.data(); }

    /// True if all that the rank has promised to send has left it.
    [[nodiscard]] bool drained() const;

    /// Whether new communicators are spread: the rank's threads call at once (MPI_THREAD_MULTIPLE). From now
    /// on; the tracks that there are stay.
    void spread() noexcept { spread_.store(true, std::memory_order_relaxed); }
    /// The track for the communicator that is the rank's n-th to be proposed.
    [[nodiscard]] int choose(std::uint64_t n) const;

  private:
    engine &make(int track);

    fabric::routes_by_track &routes_;
    rank &owner_;
    device_threads *const threads_;
    rank_waiters waiters_;
    std::array<std::atomic<engine *>, fabric::most_tracks> engines_{};
    std::mutex opening_; ///< one thread at a time makes an engine
    int general_ = 0;    ///< how many want that; under opening_
    std::atomic<bool> spread_{
        false}; // orders nothing: an earlier communicator is on the first track, no more
};

/// The engine of the calling rank for messages with this context. Throws as tracks::open().
[[nodiscard]] engine &engine_for(std::uint64_t context);

} // namespace lisle::protocol
