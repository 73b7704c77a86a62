// SPDX-License-Identifier: Apache-2.0
#include "collective/area/turns.hpp"

namespace lisle::collective {

bool turns::find_room(std::uint64_t number, post_place at) noexcept {
    const bool found = look_who_finished(number, at);
    if (found == waits_) {
        // The caller looks again before it sleeps.
        areas_.waiting_for_room().fetch_add(found ? ~std::uint32_t{0} : 1, std::memory_order_seq_cst);
        waits_ = !found;
    }
    return found;
}

bool turns::make_finished_by() noexcept {
    // Zeroes that are not touched before they are written: a rank hears of few others.
    finished_by_.reset(static_cast<std::uint64_t *>(
        std::calloc(static_cast<std::size_t>(members_.count()), sizeof(std::uint64_t))));
    return finished_by_ != nullptr;
}

bool turns::have_all_finished(std::uint64_t least) const noexcept {
    for (int member = 0; member < members_.count(); ++member) {
        if (member != members_.self() && areas_.finished_by(member).load(std::memory_order_seq_cst) < least) {
            return false;
        }
    }
    return true;
}

bool turns::look_who_finished(std::uint64_t number, post_place at) noexcept {
    // What posts have told may be enough: the line with a member's number stays with it then. But one look is
    // to serve for several operations.
    const std::uint64_t room = rank_areas::depth_of(at), enough = number + room / 2, needed = number + 1;
    const auto is_late = [&](std::uint64_t &known, int member) {
        known = std::max(known, areas_.finished_by(member).load(std::memory_order_seq_cst));
        return known + room < needed;
    };
    const int self = members_.self();
    if (finished_by_ == nullptr && !make_finished_by()) {
        return needed <= room || have_all_finished(needed - room);
    }
    std::uint64_t *const finished_by = finished_by_.get();
    finished_by[self] = number;
    if (is_late(finished_by[late_], late_) && late_ != self) {
        return false; // as the last time
    }
    std::uint64_t least = number;
    for (int member = 0, members = members_.count(); member < members; ++member) {
        std::uint64_t &known = finished_by[member];
        if (known + room < enough && member != self && is_late(known, member)) {
            late_ = member;
            return false;
        }
        least = std::min(least, known);
    }
    all_finished_ = std::max(all_finished_, least); // all may have told more together
    return true;
}

void turns::tell(std::uint64_t finished, bool awaited) noexcept {
    areas_.finished_by(members_.self()).store(finished, std::memory_order_seq_cst);
    told_ = finished;
    if (awaited || areas_.waiting_for_room().load(std::memory_order_seq_cst) != 0) {
        members_.wake_all();
    }
}

} // namespace lisle::collective
