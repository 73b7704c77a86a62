// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/checks.hpp"
#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"

namespace lisle {

namespace {

using sort = wait_note::sort;
using state = wait_table::state;

constexpr std::size_t most_sentences = 6;

std::string tag_text(int tag) {
    return tag < 0 ? "any tag" : sentence("tag ", tag);
}

/// The difference between a message that has come and the one that is awaited; empty: they have too little in
/// common.
std::string near_miss(const rank_wait &rank, const wait_note::operation &wait,
                      const wait_note::message &came) {
    const bool source = wait.peer == wait_note::anybody || wait.peer == came.source;
    const bool tag = wait.tag < 0 || wait.tag == came.tag;
    const bool context = wait.context == came.context;
    if (wait.context % message_spaces != came.context % message_spaces) {
        return {}; // one of them is not the program's
    }
    std::string from = sentence("from rank ", came.source);
    if (source && context && !tag) {
        return sentence(from, " under tag ", came.tag);
    }
    if (source && tag && !context) {
        return sentence(from, " on ", label_of(rank, came.context));
    }
    if (tag && context && !source) {
        return from;
    }
    return {};
}

void look_at_messages(const job_waits &job, int rank, std::vector<std::string> &found) {
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    const auto count = std::min(self.note.operation_count, wait_note::most_operations);
    for (unsigned i = 0; i < count; ++i) {
        const wait_note::operation &wait = self.note.operations[i];
        if ((wait.what != sort::receive && wait.what != sort::probe) || among_all(wait)) {
            continue;
        }
        for (unsigned j = 0; j < self.note.message_count; ++j) {
            const wait_note::message &came = self.note.messages[j];
            if (const std::string which = near_miss(self, wait, came); !which.empty()) {
                found.push_back(
                    sentence("rank ", rank, " waits for ", tag_text(wait.tag), " from ",
                             wait.peer < 0 ? std::string{"any rank"} : sentence("rank ", wait.peer), " on ",
                             label_of(self, wait.context), "; it has a message of ", came.bytes, " bytes ",
                             which, " that it does not receive"));
            }
        }
    }
}

/// Members of one communicator that are in different collectives there: the first pair of each communicator.
void look_at_calls(const job_waits &job, int rank, std::vector<std::string> &found) {
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    if (self.state != state::waiting || self.note.operation_count == 0 ||
        !among_all(self.note.operations[0])) {
        return;
    }
    const std::uint64_t context = self.note.operations[0].context;
    for (const int other : awaited_by(job, rank)) {
        const rank_wait &theirs = job[static_cast<std::size_t>(other)];
        const bool in_one = theirs.state == state::waiting && theirs.note.operation_count != 0 &&
                            among_all(theirs.note.operations[0]) &&
                            theirs.comm_of(context) == theirs.comm_of(theirs.note.operations[0].context);
        if (other > rank && in_one && theirs.call() != self.call()) {
            found.push_back(sentence("rank ", rank, " calls ", self.call(), " on ", label_of(self, context),
                                     " where rank ", other, " calls ", theirs.call()));
            return;
        }
    }
}

/// A rank that stores no more of what it does not receive: its senders may wait for that alone.
void look_at_limit(const job_waits &job, int rank, std::vector<std::string> &found) {
    if (const auto limit = job[static_cast<std::size_t>(rank)].note.stored_limit; limit != 0) {
        found.push_back(sentence("rank ", rank, " has stored ", limit,
                                 " bytes of messages that it has not received: sends to it "
                                 "wait until it receives some. That limit is LISLE_UNEXPECTED_LIMIT"));
    }
}

} // namespace

std::string near_misses(const job_waits &job) {
    std::vector<std::string> found;
    for (int rank = 0; rank < static_cast<int>(job.size()) && found.size() < most_sentences; ++rank) {
        look_at_limit(job, rank, found);
    }
    for (int rank = 0; rank < static_cast<int>(job.size()) && found.size() < most_sentences; ++rank) {
        look_at_messages(job, rank, found);
        look_at_calls(job, rank, found);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), most_sentences); ++i) {
        text += found[i] + ".\n";
    }
    return text;
}

std::string deadlock_report(const job_waits &job) {
    return sentence("lisle: deadlock: no rank of the job can go on, and no message is under way\n") +
           wait_rows(job) + begun_operations(job) + wait_cycles(job) + near_misses(job) +
           remark_on_sends(job);
}

std::string status_report(const job_waits &job, const std::string &why) {
    return sentence("lisle: ", why, "\n") + wait_rows(job) + begun_operations(job) + near_misses(job);
}

std::string remark_on_sends(const job_waits &job) {
    if (!checks(check_level::all)) {
        return {};
    }
    const bool any = std::ranges::any_of(job, [](const rank_wait &rank) {
        const auto count = std::min(rank.note.operation_count, wait_note::most_operations);
        return rank.state == wait_table::state::waiting &&
               std::any_of(rank.note.operations, rank.note.operations + count,
                           [](const wait_note::operation &each) {
                               return each.what == wait_note::sort::synchronous_send;
                           });
    });
    return any ? "With LISLE_CHECK=2 each send waits for its receive. MPI may buffer messages of the "
                 "standard mode "
                 "and go on, but need not: a program that relies on it is not portable.\n"
               : "";
}

} // namespace lisle
