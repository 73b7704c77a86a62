// SPDX-License-Identifier: Apache-2.0
// A message that the receiver fetches from the sender's memory over a route with remote memory. The copies
// that this takes end at once or later; the receive goes on when the last one has ended. If one is refused or
// fails, the message comes as a stream after all.
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "datatype/copy.hpp"
#include "protocol/rendezvous/announced_receives.hpp"

namespace lisle::protocol {

namespace {

// Runs of a receive buffer that one copy fills.
constexpr std::size_t most_runs = 1024;
// Shorter ones, on average, cost the kernel or the device more than a stream costs.
constexpr MPI_Count least_run = 4096;

} // namespace

class announced_receives::remote_read final : public pending_call, public fabric::copy_completion {
  public:
    remote_read(announced_receives &table, receive_operation &receive, MPI_Count bytes)
        : pending_call{&run_again}, table_{table}, receive_{receive}, bytes_{bytes} {}

    /// Starts copies until all are started or one finds no room. Without the engine's lock; afterwards the
    /// object may be gone.
    void go_on() {
        std::vector<iovec> runs_of_part;
        while (offset_ < bytes_) {
            const auto started = start_next(runs_of_part);
            if (started == fabric::copy_start::full) {
                const std::scoped_lock guard{core()};
                table_.out_.do_later_locked(*this);
                return;
            }
            if (started == fabric::copy_start::refused) {
                note_failure();
                break;
            }
        }
        if (is_last()) {
            const std::scoped_lock guard{core()}; // which is not looked for in an object that is gone
            end_locked();
        }
    }

  private:
    /// @param runs_of_part room that is used again
    fabric::copy_start start_next(std::vector<iovec> &runs_of_part) {
        const announced_message &sender = receive_.sender;
        fabric::remote_memory &memory = *core().self.routes.to(sender.peer).memory;
        auto started = fabric::copy_start::full;
        under_way_.fetch_add(1, std::memory_order_relaxed);
        try {
            runs_of_part.clear();
            const MPI_Count covered =
                runs(receive_.buffer, offset_, bytes_ - offset_, most_runs, runs_of_part);
            const fabric::remote_place from{sender.peer, sender.address + static_cast<std::uint64_t>(offset_),
                                            sender.key};
            started = covered < static_cast<MPI_Count>(runs_of_part.size()) * least_run
                          ? fabric::copy_start::refused
                          : memory.start_read(core().self.number, from, runs_of_part, *this);
            const bool is_begun =
                started == fabric::copy_start::under_way || started == fabric::copy_start::done;
            offset_ += is_begun ? covered : 0;
        } catch (const std::bad_alloc &) { // as if there were no room: it is tried again
        }
        if (started != fabric::copy_start::under_way) {
            under_way_.fetch_sub(1, std::memory_order_relaxed); // not the last: the caller still starts some
        }
        return started;
    }
    static void run_again(engine &, pending_call &self) { static_cast<remote_read &>(self).go_on(); }
    /// From poll(), with the engine's lock held.
    void copied(bool moved) override {
        if (!moved) {
            note_failure();
        }
        if (is_last()) {
            end_locked();
        }
    }
    void note_failure() noexcept { failed_.store(true, std::memory_order_relaxed); }
    /// Acquire and release: who ends last sees what the others have noted.
    [[nodiscard]] bool is_last() noexcept { return under_way_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
    void end_locked() {
        const std::unique_ptr<remote_read> ended{this};
        if (failed_.load(std::memory_order_relaxed)) {
            table_.ask_for_stream_locked(receive_, receive_.result.bytes);
            return;
        }
        core().counts.add(counted::read_bytes, static_cast<std::uint64_t>(receive_.result.bytes));
        table_.end_locked(receive_);
    }

    [[nodiscard]] engine_core &core() const noexcept { return table_.core_; }

    announced_receives &table_;
    receive_operation &receive_;
    MPI_Count bytes_;
    MPI_Count offset_ = 0;               ///< of what has not been started yet; of the thread that starts
    std::atomic<unsigned> under_way_{1}; ///< copies, and the thread that starts them
    std::atomic<bool> failed_{false};    ///< relaxed: ordered by under_way_
};

bool announced_receives::read_from_peer(receive_operation &receive, MPI_Count bytes) {
    const fabric::route &way = core_.self.routes.to(receive.sender.peer);
    // On a node the kernel needs no permission; elsewhere only what has been exposed can be read.
    const bool readable = receive.sender.exposed() != (way.node != nullptr);
    if (receive.sender.address == 0 || way.memory == nullptr || !readable ||
        static_cast<std::size_t>(bytes) < way.limits.least_read) {
        return false;
    }
    (new remote_read{*this, receive, bytes})->go_on(); // it ends itself
    return true;
}

} // namespace lisle::protocol
