// SPDX-License-Identifier: Apache-2.0
// How survivors agree although members fail meanwhile. The first member that has not fallen silent leads: the
// others send it what they have to say, it waits for all that have not, decides, and tells all. A rank that
// hears of a decision tells all before it believes it. If the leader fails, the next one takes over. It
// cannot decide otherwise than a survivor has: it waits for what that one has to say, and gets the decision.
//
// A decision carries the rank of the leader that made it. A rank that has turned to a new leader takes one of
// an earlier leader only from the new leader itself: the new one may have its word already, and decides.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "communicator/communicator.hpp"
#include "protocol/progressed_request.hpp"

namespace lisle {

class post_office;

/// All who agree: the members of a communicator, of both groups if it has two. Every member lists them alike.
struct assembly {
    group_ref members;
    int self;        ///< the calling rank among them
    bool first_side; ///< whether that is in the group that comes first; true if there is one group
    [[nodiscard]] int size() const noexcept { return members->size(); }
};

/// What is agreed on, or what one member contributes to it.
struct verdict {
    std::uint64_t flags = 0;        ///< of the first side: the lower half; of the other one: the upper
    std::uint64_t context = 0;      ///< for a new communicator; 0: none
    std::vector<bool> failed;       ///< by rank in the assembly
    std::vector<bool> acknowledged; ///< of these, by all
};

/// An agreement under way. Its request is complete when this rank knows the verdict.
class agreement : public protocol::progressed_request {
  public:
    /// @param proposes_context the leader is to propose one
    agreement(communicator &on, int flag, bool proposes_context);
    ~agreement() override;

    /// True when all survivors have told this rank the verdict, and have what this rank has told them: then
    /// nobody needs it any more. @pre complete
    [[nodiscard]] bool all_have_told();

  protected:
    /// @pre complete
    [[nodiscard]] const verdict &agreed() const noexcept { return mine_; }
    [[nodiscard]] communicator &comm_of() const noexcept { return *on_; }
    /// @pre complete. What the members of the communicator's only group agree on; of two, those of the other
    /// one.
    [[nodiscard]] int agreed_flag() const noexcept;
    /// @pre complete
    [[nodiscard]] bool has_survived(int number) const noexcept {
        return !mine_.failed[static_cast<std::size_t>(all_.members->rank_of(number))];
    }

  private:
    struct letter;
    bool ready() override;
    void read_letters();
    void read(const letter &from_peer);
    /// Goes on as far as it can; true when the verdict is known.
    bool step();
    /// By rank in the assembly. @param some numbers in the job
    [[nodiscard]] std::vector<bool> bits_of_members(const std::vector<int> &some) const;
    /// Those whose letters do not come any more. One that only others have lost still writes, and waits for
    /// answers.
    [[nodiscard]] std::vector<bool> silent_now() const;
    void send(int to, bool decided);
    void tell_all(int leader, const std::vector<bool> &silent);
    /// Makes the failures known here that the verdict names, so that what follows is alike at all who have
    /// it.
    void take_note_of_failures();

    [[nodiscard]] protocol::channel letters() const;

    const communicator_ref on_;
    const assembly all_;
    const std::shared_ptr<post_office> office_;
    const std::uint64_t number_; ///< of this agreement among those of the communicator
    const bool proposes_context_;
    verdict mine_; ///< what this rank has to say, then what all say
    std::vector<bool> heard_;
    std::map<int, letter> decisions_; ///< by who has told
    int turned_to_ = -1;              ///< the leader that this rank has told what it has to say
    int leader_ = -1;                 ///< that made the decision
};

} // namespace lisle
