// SPDX-License-Identifier: Apache-2.0
// A call that succeeds at all members or at none: each does its part, then all say how that went.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "communicator/agreement.hpp"
#include "communicator/communicator.hpp"
#include "communicator/leaders_link.hpp"

namespace lisle {

/// Where the leaders of two groups exchange messages.
struct leaders_meeting {
    protocol::channel channel;
    int tag;
    int there; ///< the other one's rank in the channel
};

/// A member's parts of such a call. What it does while others wait for it, it does in attempts, so it comes
/// to settle() in any case.
class shared_attempt {
  public:
    /// Does a part, unless one before has failed.
    template <class Part> void attempt(Part part) {
        if (failure_ != nullptr) {
            return;
        }
        try {
            part();
        } catch (const std::exception &caught) {
            note(caught);
        }
    }
    /// The same for a part that comes before others wait: what is wrong with the caller's arguments it throws
    /// at once.
    template <class Part> void allocate(Part part) {
        if (failure_ != nullptr) {
            return;
        }
        try {
            part();
        } catch (const std::bad_alloc &caught) {
            note(caught);
        }
    }
    [[nodiscard]] bool failed() const noexcept { return failure_ != nullptr; }
    /// Throws what the first failed part threw, if one has failed.
    void check() const {
        if (failure_ != nullptr) {
            std::rethrow_exception(failure_);
        }
    }

    /// Returns when all members have come, if all parts have succeeded. Else throws at all of them: what the
    /// caller's part threw, or what the first one's did. Needs no memory.
    /// @return the largest of the members' values
    std::uint64_t settle(const party &members, std::uint64_t value = 0) const;
    /// The same for all ranks of a communicator, both groups of an inter-communicator. @param tag for
    /// agreements
    std::uint64_t settle(const communicator &parent, int tag, std::uint64_t value = 0) const;
    /// The same for the members of two groups. @param between nothing at all but the leader, whose index is
    /// `leader`, and there if the leaders cannot meet
    std::uint64_t settle_across(const party &local, int leader, const std::optional<leaders_meeting> &between,
                                std::uint64_t value = 0) const;
    /// @param between likewise null
    std::uint64_t settle_across(const party &local, int leader, leaders_link *between,
                                std::uint64_t value = 0) const;
    /// Why a call has failed in which the caller has done its part.
    [[nodiscard]] static std::string sentence_of(const shared_result &common);

    /// Of the caller's parts, for its place among the members.
    [[nodiscard]] shared_result own(int index, std::uint64_t value) const noexcept;

  private:
    void end(const shared_result &common) const;
    /// @param swap gets the other group's result, at the leader; null: there is no way to it
    template <class Swap>
    std::uint64_t settle_with(const party &local, int leader, const Swap *swap, std::uint64_t value) const;
    /// @pre in a catch block
    void note(const std::exception &caught);

    std::exception_ptr failure_;
    std::int32_t code_ = MPI_SUCCESS;
};

} // namespace lisle
