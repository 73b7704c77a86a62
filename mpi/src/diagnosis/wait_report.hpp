// SPDX-License-Identifier: Apache-2.0
// The texts about ranks that wait.
#pragma once

#include <string>

#include "diagnosis/job_waits.hpp"

namespace lisle {

/// One row for each rank: its call, what it waits for, tag, communicator, bytes, place in the program. Ranks
/// in like state share a row if there are many.
[[nodiscard]] std::string wait_rows(const job_waits &job);

/// The rings of ranks that wait for each other, in words, a line for each; and the ranks that wait for one
/// that has ended.
[[nodiscard]] std::string wait_cycles(const job_waits &job);

/// What almost fits: messages that have come under another tag, source or communicator, and members of a
/// communicator that call different collectives.
[[nodiscard]] std::string near_misses(const job_waits &job);

/// The operations that ranks have begun and not waited for, a line for ranks with the same ones, as far as
/// ranks have said (with LISLE_CHECK=2).
[[nodiscard]] std::string begun_operations(const job_waits &job);

/// A sentence for the case that a send waits which without LISLE_CHECK=2 might not.
[[nodiscard]] std::string remark_on_sends(const job_waits &job);

/// "0-3, 7": at most a few, then how many more.
[[nodiscard]] std::string rank_list(const std::vector<int> &ranks);

/// All of it, for a job whose ranks all wait for each other.
[[nodiscard]] std::string deadlock_report(const job_waits &job);
/// Those of the ranks that can never go on, whatever all others do: each waits for ranks of which it needs
/// one that is stuck as well or has ended.
/// @param asleep ranks that have answered and have slept since, with no message under way to them
[[nodiscard]] std::vector<int> stuck_ranks(const job_waits &job, const std::vector<int> &asleep);
/// What is said of these.
[[nodiscard]] std::string stuck_report(const job_waits &job, const std::vector<int> &stuck);
/// The table for a job that runs. @param why the question has been asked
[[nodiscard]] std::string status_report(const job_waits &job, const std::string &why);

} // namespace lisle
