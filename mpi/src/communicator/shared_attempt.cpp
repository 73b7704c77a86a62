// SPDX-License-Identifier: Apache-2.0
#include "communicator/shared_attempt.hpp"

#include "base/error.hpp"
#include "base/error_texts.hpp"

namespace lisle {

namespace {

/// An exception of the user's functions, too, which error_of() passes on.
std::int32_t code_of(const std::exception &caught) {
    try {
        return error_of(caught).code();
    } catch (const std::exception &) {
        return MPI_ERR_OTHER;
    }
}

} // namespace

void shared_attempt::note(const std::exception &caught) {
    failure_ = std::current_exception();
    code_ = code_of(caught);
}

shared_result shared_attempt::own(int index, std::uint64_t value) const noexcept {
    return {value, code_, index};
}

void shared_attempt::end(const shared_result &common) const {
    check();
    if (common.code != MPI_SUCCESS) {
        throw mpi_error{common.code, sentence_of(common)};
    }
}

std::string shared_attempt::sentence_of(const shared_result &common) {
    return common.by == shared_result::remote_member
               ? sentence("a rank of the remote group could not do its part of the call: ",
                          error_text(common.code))
               : sentence("rank ", common.by, " of those that make the call could not do its part of it: ",
                          error_text(common.code));
}

std::uint64_t shared_attempt::settle(const party &members, std::uint64_t value) const {
    shared_result common = own(members.self(), value);
    members.agree(common);
    end(common);
    return common.value;
}

template <class Swap> std::uint64_t shared_attempt::settle_with(const party &local, int leader,
                                                                const Swap *swap, std::uint64_t value) const {
    shared_result common = own(local.self(), value);
    local.agree(common);
    if (swap != nullptr) {
        shared_result theirs;
        try {
            (*swap)(std::as_bytes(std::span{&common, 1}), std::as_writable_bytes(std::span{&theirs, 1}));
        } catch (const mpi_error &gone) {
            theirs.code = gone.code(); // the own group is to hear of it
        }
        theirs.by = shared_result::remote_member;
        common.include(theirs);
    }
    local.broadcast(common, leader);
    end(common);
    return common.value;
}

std::uint64_t shared_attempt::settle_across(const party &local, int leader,
                                            const std::optional<leaders_meeting> &between,
                                            std::uint64_t value) const {
    const auto swap = [&between](std::span<const std::byte> mine, std::span<std::byte> theirs) {
        exchange_bytes(between->channel, between->tag, between->there, mine, between->there, theirs);
    };
    return settle_with(local, leader, between ? &swap : nullptr, value);
}

std::uint64_t shared_attempt::settle_across(const party &local, int leader, leaders_link *between,
                                            std::uint64_t value) const {
    const auto swap = [between](std::span<const std::byte> mine, std::span<std::byte> theirs) {
        between->swap(mine, theirs);
    };
    return settle_with(local, leader, between != nullptr ? &swap : nullptr, value);
}

std::uint64_t shared_attempt::settle(const communicator &parent, int tag, std::uint64_t value) const {
    const party local{parent.channel(message_space::agreement), tag};
    if (!parent.inter()) {
        return settle(local, value);
    }
    std::optional<leaders_meeting> between;
    if (parent.rank() == 0) {
        between = leaders_meeting{parent.channel(message_space::remote_agreement), tag, 0};
    }
    return settle_across(local, 0, between, value);
}

} // namespace lisle
