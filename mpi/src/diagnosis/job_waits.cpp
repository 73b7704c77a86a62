// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/job_waits.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/error.hpp"

namespace lisle {

namespace {

// Of a communicator's message spaces one is for users, the next ones are those of collectives and of what is
// done like one, as are MPI_Finalize and what fences tell of accesses.
constexpr std::uint64_t users_space = 0, last_counted_space = 2, last_common_space = 5, departure_space = 10,
                        accesses_space = 11;

using sort = wait_note::sort;
using state = wait_table::state;

template <std::size_t Room> void end_text(char (&text)[Room]) noexcept {
    text[Room - 1] = '\0';
}

/// The operation among all members of this communicator that a rank is in; null: none.
const wait_note::operation *common_wait(const rank_wait &rank, std::uint64_t base) {
    if (rank.state != state::waiting) {
        return nullptr;
    }
    const auto count = std::min(rank.note.operation_count, wait_note::most_operations);
    const auto *const end = rank.note.operations + count;
    const auto *const found = std::find_if(rank.note.operations, end, [base](const auto &each) {
        return among_all(each) && each.context / message_spaces == base / message_spaces;
    });
    return found != end ? found : nullptr;
}

/// True for collectives, which ranks count; the agreement on a new communicator and the like are none.
bool is_counted(const wait_note::operation &wait) noexcept {
    return wait.what == sort::collective || wait.context % message_spaces <= last_counted_space;
}

/// True if `member` has not come to the call that `rank` is in. @param counted that is a collective
bool is_missing(const rank_wait &member, const rank_wait &rank, const wait_note::comm &comm, bool counted) {
    if (member.state != state::waiting) {
        return true;
    }
    const wait_note::comm *const theirs = member.comm_of(comm.context);
    if (counted && theirs != nullptr && theirs->collectives != comm.collectives) {
        return theirs->collectives < comm.collectives;
    }
    const auto *const common = common_wait(member, comm.context);
    return common == nullptr || member.call() != rank.call();
}

std::vector<int> missing_members(const job_waits &job, int rank, const wait_note::comm &comm, bool counted) {
    std::vector<int> found = members_of(comm, static_cast<int>(job.size()));
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    std::erase_if(found, [&](int member) {
        return member == rank || !is_missing(job[static_cast<std::size_t>(member)], self, comm, counted);
    });
    return found;
}

std::vector<int> needed_by(const job_waits &job, int rank, const wait_note::operation &wait) {
    if (wait.what == sort::unmarked || wait.what == sort::uncompleted) {
        return {rank};
    }
    const wait_note::comm *const comm = job[static_cast<std::size_t>(rank)].comm_of(wait.context);
    if (among_all(wait) && comm != nullptr) {
        if (auto missing = missing_members(job, rank, *comm, is_counted(wait)); !missing.empty()) {
            return missing;
        }
    }
    const bool one = wait.peer >= 0 && wait.peer < static_cast<int>(job.size());
    return one ? std::vector{wait.peer} : std::vector<int>{};
}

/// What `of(operation)` names for the operations of a rank that waits, sorted.
template <class Of> std::vector<int> joined(const job_waits &job, int rank, Of of) {
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    std::vector<int> all;
    if (self.state == state::waiting) {
        const auto count = std::min(self.note.operation_count, wait_note::most_operations);
        for (unsigned i = 0; i < count; ++i) {
            const auto some = of(self.note.operations[i]);
            all.insert(all.end(), some.begin(), some.end());
        }
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

} // namespace

const wait_note::comm *rank_wait::comm_of(std::uint64_t context) const noexcept {
    const auto *const end = note.comms + note.comm_count;
    const auto *const found = std::find_if(note.comms, end, [context](const auto &each) {
        return each.context / message_spaces == context / message_spaces;
    });
    return found != end ? found : nullptr;
}

void make_sound(wait_note &note) noexcept {
    end_text(note.call);
    end_text(note.file);
    for (auto &comm : note.comms) {
        end_text(comm.name);
    }
    for (auto &operation : note.begun) {
        end_text(operation.call);
    }
    note.comm_count = std::min(note.comm_count, wait_note::most_comms);
    note.message_count = std::min(note.message_count, wait_note::most_messages);
}

namespace {

/// A rank waits as long as all its threads do, for what any of them waits for.
void join_threads(rank_wait &rank, std::vector<wait_note> threads) {
    if (threads.size() < 2) {
        return;
    }
    rank.note.operation_count = 0;
    rank.note.any = 0;
    for (wait_note &each : threads) {
        make_sound(each);
        const auto count = std::min(each.operation_count, wait_note::most_operations);
        std::for_each_n(each.operations, count, [&rank](const auto &one) { rank.note.add(one); });
    }
    rank.threads = std::move(threads);
}

} // namespace

job_waits read_waits(const wait_table &table, std::uint32_t question) {
    job_waits all(static_cast<std::size_t>(table.ranks()));
    for (int rank = 0; rank < table.ranks(); ++rank) {
        rank_wait &each = all[static_cast<std::size_t>(rank)];
        each.state = table.state_at(question, rank);
        if (each.state == state::waiting) {
            each.note = table.note_of(rank);
            make_sound(each.note);
            join_threads(each, table.notes_of_threads(rank));
        }
    }
    return all;
}

bool among_all(const wait_note::operation &wait) noexcept {
    const std::uint64_t space = wait.context % message_spaces;
    return wait.what == sort::collective ||
           (wait.context != 0 && ((space != users_space && space <= last_common_space) ||
                                  space == departure_space || space == accesses_space));
}

std::vector<int> members_of(const wait_note::comm &comm, int job_size) {
    std::vector<int> members;
    for (int i = 0; i < std::min(comm.size, job_size); ++i) {
        if (comm.stride == 0 && i >= wait_note::comm::most_members) {
            break;
        }
        const int member = comm.stride != 0 ? comm.first + i * comm.stride : comm.members[i];
        if (member >= 0 && member < job_size) {
            members.push_back(member);
        }
    }
    return members;
}

std::string label_of(const rank_wait &rank, std::uint64_t context) {
    const wait_note::comm *const comm = rank.comm_of(context);
    if (comm == nullptr) {
        return "-";
    }
    return comm->name[0] != '\0' ? comm->name : sentence("communicator ", comm->owner, ".", comm->number);
}

std::vector<int> awaited_by(const job_waits &job, int rank, const wait_note::operation &wait) {
    const rank_wait &self = job[static_cast<std::size_t>(rank)];
    const wait_note::comm *const comm = self.comm_of(wait.context);
    if (auto needed = needed_by(job, rank, wait); !needed.empty()) {
        return needed;
    }
    const bool could_be_anyone = wait.peer == wait_note::anybody || wait.what == sort::collective;
    if (!could_be_anyone) {
        return {};
    }
    std::vector<int> others(job.size());
    std::iota(others.begin(), others.end(), 0);
    if (comm != nullptr) {
        others = members_of(*comm, static_cast<int>(job.size()));
    }
    if (others.size() > 1) {
        std::erase(others, rank);
    }
    return others;
}

std::vector<int> awaited_by(const job_waits &job, int rank) {
    return joined(job, rank, [&](const auto &wait) { return awaited_by(job, rank, wait); });
}

std::vector<int> needed_by(const job_waits &job, int rank) {
    const wait_note &note = job[static_cast<std::size_t>(rank)].note;
    if (note.any != 0 && note.operation_count > 1) {
        return {};
    }
    return joined(job, rank, [&](const auto &wait) { return needed_by(job, rank, wait); });
}

} // namespace lisle
