// SPDX-License-Identifier: Apache-2.0
// The answers of a job's ranks about their waits, and the relation of which rank waits for which.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "execution/wait_note.hpp"
#include "execution/wait_table.hpp"

namespace lisle {

/// Contexts of a communicator, one for each message space, as communicator/context.hpp numbers them.
inline constexpr std::uint64_t message_spaces = 16;

/// The answer of one rank, with counts within bounds and terminated texts, whatever other processes have
/// written.
struct rank_wait {
    wait_table::state state = wait_table::state::awake;
    wait_note note{};                 ///< with the operations of all threads that wait
    std::vector<wait_note> threads{}; ///< what each of them waits for, if there are several

    [[nodiscard]] std::string call() const { return note.call[0] != '\0' ? note.call : "MPI"; }
    /// The communicator of an operation or message; null: the rank has not said.
    [[nodiscard]] const wait_note::comm *comm_of(std::uint64_t context) const noexcept;
};

/// By rank.
using job_waits = std::vector<rank_wait>;

/// Limits a note's counts to the size of its arrays, and terminates its texts.
void make_sound(wait_note &note) noexcept;

/// The answers to a question (wait_table::ask_all), as far as they are there, by index on the node.
[[nodiscard]] job_waits read_waits(const wait_table &table, std::uint32_t question);

/// True for messages of collectives and of the like: among all members of a communicator.
[[nodiscard]] bool among_all(const wait_note::operation &wait) noexcept;
/// The members that a communicator's note names. @param job_size what they are below
[[nodiscard]] std::vector<int> members_of(const wait_note::comm &comm, int job_size);
/// Its name in reports: the program's, or the rank that proposed its context with the number of contexts that
/// it had proposed before.
[[nodiscard]] std::string label_of(const rank_wait &rank, std::uint64_t context);

/// The ranks that an operation of `rank` waits for, in order; empty: not known.
[[nodiscard]] std::vector<int> awaited_by(const job_waits &job, int rank, const wait_note::operation &wait);
/// The same for all its operations.
[[nodiscard]] std::vector<int> awaited_by(const job_waits &job, int rank);
/// Those that must all act before the rank goes on, without those of which one is enough.
[[nodiscard]] std::vector<int> needed_by(const job_waits &job, int rank);

} // namespace lisle
