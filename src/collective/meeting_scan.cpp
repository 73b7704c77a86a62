// SPDX-License-Identifier: Apache-2.0
// Scans of a meeting whose tables have their members in the order of ranks. Data go from table to table, so
// none waits for one that comes later; tables count these rounds for themselves.
#include "collective/meeting.hpp"
#include "collective/shown.hpp"
#include "collective/wait_for.hpp"

namespace lisle::collective {

int meeting::scan(const communicator &comm, const card &shown, const op &operation, result_place place) {
    table &own = table_of(comm.rank());
    const std::uint64_t number = own.scans.load(std::memory_order_relaxed);
    cards_[static_cast<std::size_t>(comm.rank())] = shown;
    if (fills(own)) {
        own.error = scan_for(comm, own, shown.give, operation, place);
        own.scans.store(number + 1, std::memory_order_seq_cst);
        wake(comm);
    } else {
        wait_for(*comm.collective.home,
                 [&own, number] { return own.scans.load(std::memory_order_seq_cst) != number; });
    }
    return own.error;
}

int meeting::scan_for(const communicator &comm, const table &own, const typed_buffer &like,
                      const op &operation, result_place place) {
    const std::uint64_t number = own.scans.load(std::memory_order_relaxed);
    const auto cards =
        std::span{cards_}.subspan(static_cast<std::size_t>(own.members.front()), own.members.size());
    const auto index = static_cast<std::size_t>(&own - tables_.data());
    relay *const before = index > 0 ? &relays_[index - 1] : nullptr;
    relay *const after = index + 1 < tables_.size() ? &relays_[index] : nullptr;
    bool good = alike(cards, like.bytes());
    typed_buffer sum_before, sum_after;
    if (after != nullptr) {
        wait_before_others(*comm.collective.home, [&] { return after->has_room(number); });
        sum_after = {after->place(number), like.count, *like.type};
    }
    if (before != nullptr) {
        wait_before_others(*comm.collective.home, [&] { return before->posted(number); });
        sum_before = {before->data(number), like.count, *like.type};
        good = good && before->bytes(number) == like.bytes();
    }
    if (good) {
        reduce_all(operation, cards, place, {.before = sum_before, .after = sum_after});
    }
    if (after != nullptr) {
        after->post(number, good ? like.bytes() : relay::misfit);
    }
    if (before != nullptr) {
        before->take(number);
    }
    return good ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

} // namespace lisle::collective
