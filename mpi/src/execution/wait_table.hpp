// SPDX-License-Identifier: Apache-2.0
// Which of a node's ranks wait in MPI, in memory that its processes share: so the last one to fall asleep
// notices that no rank is left to wake the others, and any process can ask the waiting ranks what they wait
// for.
//
// A rank is counted while it sleeps without a time limit, which it does only if nothing is under way to it
// (message_mover::begin_sleep). The count is a hint: it says when to look. A standstill is certain if all
// ranks sleep, no bell has rung since its rank fell asleep, and no rank has woken up meanwhile. It is
// permanent: only a rank of the job wakes another one. See mpi/docs/design/deadlocks.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "execution/doorbell_row.hpp"
#include "execution/traffic_count.hpp"
#include "execution/wait_note.hpp"

namespace lisle {

/// One mapping of the table. Ranks are named by their index on the node. Thread-safe.
class wait_table {
  public:
    /// @param memory of bytes(bells.size()), zero before its first use, common to the node's processes
    /// @param bells of the node's ranks
    wait_table(std::byte *memory, const doorbell_row &bells) noexcept : memory_{memory}, bells_{bells} {}

    [[nodiscard]] static std::size_t bytes(int ranks) noexcept;
    [[nodiscard]] int ranks() const noexcept { return bells_.size(); }

    /// From now on the process looks for standstills. @pre all ranks of the job are on this node
    void look_for_standstills() noexcept;
    /// No other process is to look: questions at times of the machine's clock would make runs of a simulated
    /// job differ. @pre no rank has entered
    void look_alone() noexcept;
    /// True if a process of the job looks, and others may.
    [[nodiscard]] bool is_looked_at() const noexcept;

    // ---- ranks that sleep ----

    /// As doorbell::sleep without a limit on the rank's own bell.
    void sleep(int rank, std::uint32_t seen) noexcept;
    /// The rank is a fiber about to park; its worker says when it sleeps itself.
    void park(int rank, std::uint32_t seen) noexcept { fall_asleep(rank, seen); }
    void unpark(int rank, std::uint32_t seen) noexcept { wake_up(rank, seen); }
    /// The same as sleep for a worker whose home is the rank's bell.
    /// @param parked how many of its ranks are
    void sleep_at_home(int home, int parked) noexcept;
    /// The rank calls MPI never again.
    void leave(int rank) noexcept;

    // ---- questions ----

    /// Has each rank that sleeps wake up and answer. Returns the question's number.
    std::uint32_t ask_all() noexcept;
    /// True if there is a question that the rank has not answered yet.
    [[nodiscard]] bool asked(int rank) const noexcept;
    /// Takes on the answer: one thread of the rank gets the question's number; 0: another thread answers.
    [[nodiscard]] std::uint32_t take_question(int rank) noexcept;
    /// The place for the answer; for the thread that has taken it on.
    [[nodiscard]] wait_note &note_of(int rank) const noexcept;
    struct finding {
        bool only_ranks; ///< the rank waits for nothing but other ranks, and no other thread acts for it
        std::uint32_t waits_ended; ///< how many waits of its process had ended before it looked
    };
    /// Publishes the answer.
    /// @return true for one caller: all ranks stand still, and all have said what they wait for
    [[nodiscard]] bool answer(int rank, std::uint32_t question, finding found) noexcept;

    /// The rank's wait is over, so its answer says nothing more.
    void withdraw(int rank) noexcept;

    // ---- ranks of several threads ----

    [[nodiscard]] std::uint32_t latest_question() const noexcept;
    /// A place for the note of one thread, which it keeps while it waits; none: there are more threads.
    [[nodiscard]] std::optional<int> take_thread_place(int rank) noexcept;
    void tell_of_thread(int rank, int place, const wait_note &note) noexcept;
    void give_thread_place(int rank, int place) noexcept;
    /// What the rank's threads have told that still wait.
    [[nodiscard]] std::vector<wait_note> notes_of_threads(int rank) const;

    /// One rank's sleep. Two that are equal and sound were read in the same sleep, in which its bell has not
    /// rung.
    struct nap {
        std::uint64_t number = 0; ///< changes whenever a thread of the rank falls asleep or wakes up
        std::uint32_t seen = 0;
        bool sound = false; ///< one thread sleeps, and nothing has come since
        bool operator==(const nap &) const = default;
    };
    [[nodiscard]] nap nap_of(int rank) const noexcept;

    // ---- nodes of a job of several ----

    /// A time in which all ranks of the node sleep and nothing is under way between them.
    struct stillness {
        std::uint64_t wakings = 0;            ///< how often a rank of the node has woken up before
        std::uint64_t sent = 0, received = 0; ///< over the network, by all processes of the node
        bool operator==(const stillness &) const = default;
    };
    /// Nothing: some rank is awake or about to wake up. If two calls return the same, all ranks have slept
    /// from one to the other.
    [[nodiscard]] std::optional<stillness> current_stillness() const noexcept;
    /// What a process counts of its network. @param rank its first one on the node
    [[nodiscard]] traffic_count &traffic_of(int rank) const noexcept;

    /// True if all ranks have answered, but for those that are gone.
    [[nodiscard]] bool all_answered(std::uint32_t question) const noexcept;

    enum class state : std::uint8_t { awake, waiting, gone };
    /// What a rank has answered to this question.
    [[nodiscard]] state state_at(std::uint32_t question, int rank) const noexcept;

  private:
    struct head;
    struct record;
    struct notes;
    [[nodiscard]] head &top() const noexcept;
    [[nodiscard]] record &of(int rank) const noexcept;
    [[nodiscard]] notes &notes_of(int rank) const noexcept;
    void fall_asleep(int rank, std::uint32_t seen) noexcept;
    void wake_up(int rank, std::uint32_t seen) noexcept;
    /// No thread of the rank that sleeps is about to wake up.
    [[nodiscard]] bool none_has_rung(int rank) const noexcept;
    [[nodiscard]] bool all_blocked(std::uint64_t count) const noexcept;
    [[nodiscard]] bool certain(std::uint64_t count) const noexcept;
    [[nodiscard]] std::uint64_t patience() const noexcept;
    /// Asks all ranks if they stand still, unless somebody else asks at the same time. @pre they have slept
    /// @param latest question there is
    bool ask_about_standstill(std::uint64_t latest) noexcept;
    void wake_sleepers() noexcept;
    /// Sleeps by `sleep(nanoseconds)`, 0 without limit, until `rung()`. @param count what it is with the
    /// caller
    template <class Sleep, class Rung> void watch(std::uint64_t count, Sleep sleep, Rung rung) noexcept;

    std::byte *memory_;
    doorbell_row bells_;
    bool looks_ = false;
};

} // namespace lisle
