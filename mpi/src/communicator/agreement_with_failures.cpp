// SPDX-License-Identifier: Apache-2.0
#include "communicator/agreement_with_failures.hpp"

#include <algorithm>
#include <list>
#include <mutex>

#include "datatype/predefined.hpp"
#include "execution/rank_local.hpp"
#include "protocol/engine.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

using words = std::vector<std::uint64_t>;

typed_buffer buffer_of(words &text) {
    return {text.data(), static_cast<MPI_Count>(text.size() * sizeof(std::uint64_t)),
            *find_datatype(MPI_BYTE)};
}

void append(words &to, const std::vector<bool> &bits) {
    for (std::size_t at = 0; at < bits.size(); at += 64) {
        std::uint64_t word = 0;
        for (std::size_t bit = at; bit < std::min(at + 64, bits.size()); ++bit) {
            word |= std::uint64_t{bits[bit]} << (bit - at);
        }
        to.push_back(word);
    }
}

std::vector<bool> bits_of(const std::uint64_t *from, std::size_t count) {
    std::vector<bool> bits(count);
    for (std::size_t bit = 0; bit != count; ++bit) {
        bits[bit] = (from[bit / 64] >> bit % 64 & 1U) != 0;
    }
    return bits;
}

} // namespace

/// What one member says to another.
struct agreement::letter {
    int from;
    std::uint64_t number;
    int leader; ///< of a decision; -1: a contribution
    verdict what;

    /// Five words, then the two sets.
    [[nodiscard]] words text() const {
        words all{number, static_cast<std::uint64_t>(leader + 1), what.flags, what.context,
                  what.failed.size()};
        append(all, what.failed);
        append(all, what.acknowledged);
        return all;
    }
    /// False: it is no letter of an assembly of this size.
    [[nodiscard]] bool parse(int sender, const words &text, std::size_t size) {
        constexpr std::size_t head = 5;
        const std::size_t each = (size + 63) / 64;
        if (text.size() != head + 2 * each || text[4] != size || text[1] > size || sender < 0 ||
            static_cast<std::size_t>(sender) >= size) {
            return false;
        }
        from = sender;
        number = text[0];
        leader = static_cast<int>(text[1]) - 1;
        what.flags = text[2];
        what.context = text[3];
        what.failed = bits_of(text.data() + head, size);
        what.acknowledged = bits_of(text.data() + head + each, size);
        return true;
    }
};

/// The letters of one rank: those that have come for agreements which it has not begun, and those that nobody
/// has taken yet, since an agreement does not wait for them. Lives until the rank ends.
class post_office {
  public:
    /// Protects all. No lock is taken under it but the engine's.
    std::mutex mutex;

    [[nodiscard]] std::uint64_t next_number(std::uint64_t context) { return ++boxes_[context].agreements; }

    /// True if no letter is under way.
    [[nodiscard]] bool has_delivered_all() {
        forget_delivered();
        return sent_.empty();
    }
    void send(const protocol::channel &channel, int to, words text) {
        forget_delivered();
        auto sending = std::make_unique<outgoing>(channel, to, std::move(text));
        sending->operation.start();
        sent_.push_back(std::move(sending));
    }
    /// Takes what has come on this channel. `use(sender, text)` is true if that is all about it; otherwise
    /// the letter is kept for the next time.
    template <class Use> void take(const protocol::channel &channel, Use use) {
        box &here = boxes_[channel.context];
        protocol::engine &home = *channel.home;
        protocol::outcome found;
        while (protocol::unexpected_message *const message =
                   home.probe({channel.context, MPI_ANY_SOURCE, MPI_ANY_TAG}, true, found)) {
            here.came.push_back(std::make_unique<incoming>(home, static_cast<std::size_t>(found.bytes)));
            home.transfers().accept(*message, here.came.back()->operation);
        }
        here.came.remove_if([&use](const auto &each) {
            const protocol::receive_operation &receive = each->operation;
            if (!receive.is_complete()) {
                return false;
            }
            return receive.result.error != MPI_SUCCESS || use(receive.result.source, each->text);
        });
    }

  private:
    // Acquire: pairs with the release store of the thread that completes the operation.
    void forget_delivered() {
        std::erase_if(sent_, [](const auto &each) { return each->operation.is_complete(); });
    }
    struct outgoing {
        outgoing(const protocol::channel &channel, int to, words said)
            : text{std::move(said)}, operation{buffer_of(text), channel, to, 0,
                                               protocol::send_mode::standard} {}
        words text;
        protocol::send_operation operation;
    };
    struct incoming {
        incoming(protocol::engine &home, std::size_t bytes)
            : text((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)), operation{home,
                                                                                           buffer_of(text),
                                                                                           {}} {}
        words text;
        protocol::receive_operation operation;
    };
    struct box {
        std::uint64_t agreements = 0;
        std::list<std::unique_ptr<incoming>> came;
    };
    std::map<std::uint64_t, box> boxes_; ///< by context
    std::vector<std::unique_ptr<outgoing>> sent_;
};

namespace {

struct own_office {
    std::shared_ptr<post_office> office = std::make_shared<post_office>();
};
const rank_local<own_office> post;

std::uint64_t number_of_next(post_office &office, const communicator &comm) {
    const std::scoped_lock guard{office.mutex};
    return office.next_number(comm.channel(message_space::recovery).context);
}

/// A flag of one side, and nothing that would change the other one's.
std::uint64_t flags_with(int flag, bool first_side) {
    constexpr std::uint64_t lower = 0xffff'ffff;
    const std::uint64_t own = static_cast<std::uint32_t>(flag);
    return first_side ? ~lower | own : own << 32 | lower;
}

assembly assembly_of(const communicator &comm) {
    if (!comm.inter()) {
        return {group_ref::share(comm.local_group()), comm.rank(), true};
    }
    const job &here = this_rank().get_job();
    const group &local = comm.local_group();
    const group &remote = comm.remote_group();
    // Any order will do that is the same on both sides.
    const bool first = here.name_of(local.member(0)) < here.name_of(remote.member(0));
    std::vector<int> members = (first ? local : remote).members();
    const std::vector<int> others = (first ? remote : local).members();
    members.insert(members.end(), others.begin(), others.end());
    return {make_group(std::move(members)), comm.rank() + (first ? 0 : remote.size()), first};
}

} // namespace

agreement::agreement(communicator &on, int flag, bool proposes_context)
    : progressed_request{*on.point_to_point.home}, on_{communicator_ref::share(on)}, all_{assembly_of(on)},
      office_{post->office}, number_{number_of_next(*office_, on)}, proposes_context_{proposes_context},
      heard_(static_cast<std::size_t>(all_.size())) {
    mine_.flags = flags_with(flag, all_.first_side);
    auto &known = home->failures();
    const std::vector<int> failed = known.failed_members(on.context());
    mine_.failed = bits_of_members(failed);
    mine_.acknowledged.resize(heard_.size());
    for (std::size_t at = 0; at != known.acknowledged(on.context()); ++at) {
        mine_.acknowledged[static_cast<std::size_t>(all_.members->rank_of(failed[at]))] = true;
    }
}

agreement::~agreement() = default;

protocol::channel agreement::letters() const {
    protocol::channel made = on_->channel(message_space::recovery);
    made.peers = all_.members.get();
    made.self = all_.self;
    return made;
}

int agreement::agreed_flag() const noexcept {
    const bool of_first_side = all_.first_side != on_->inter();
    return static_cast<int>(static_cast<std::uint32_t>(of_first_side ? mine_.flags : mine_.flags >> 32));
}

std::vector<bool> agreement::bits_of_members(const std::vector<int> &some) const {
    std::vector<bool> bits(heard_.size());
    for (const int number : some) {
        bits[static_cast<std::size_t>(all_.members->rank_of(number))] = true;
    }
    return bits;
}

std::vector<bool> agreement::silent_now() const {
    return bits_of_members(home->failures().silent_members(on_->context()));
}

bool agreement::ready() {
    const std::scoped_lock guard{office_->mutex};
    read_letters();
    return step();
}

bool agreement::all_have_told() {
    const std::scoped_lock guard{office_->mutex};
    read_letters();
    const std::vector<bool> silent = silent_now();
    for (int rank = 0; rank != all_.size(); ++rank) {
        if (rank != all_.self && !silent[static_cast<std::size_t>(rank)] && !decisions_.contains(rank)) {
            return false;
        }
    }
    return office_->has_delivered_all();
}

void agreement::read_letters() {
    office_->take(letters(), [this](int sender, const words &text) {
        letter came;
        if (!came.parse(sender, text, heard_.size()) || came.number < number_) {
            return true; // nothing that means anything, or of an agreement that has ended
        }
        if (came.number > number_) {
            return false;
        }
        read(came);
        return true;
    });
}

void agreement::read(const letter &from_peer) {
    const auto peer = static_cast<std::size_t>(from_peer.from);
    if (from_peer.leader >= 0) {
        decisions_.insert_or_assign(from_peer.from, from_peer);
        return;
    }
    heard_[peer] = true;
    mine_.flags &= from_peer.what.flags;
    for (std::size_t rank = 0; rank != heard_.size(); ++rank) {
        mine_.failed[rank] = mine_.failed[rank] || from_peer.what.failed[rank];
        mine_.acknowledged[rank] = mine_.acknowledged[rank] && from_peer.what.acknowledged[rank];
    }
}

bool agreement::step() {
    const std::vector<bool> silent = silent_now();
    const int self = all_.self;
    const auto first = std::ranges::find(silent, false); // at the latest this rank itself
    const int leader = static_cast<int>(first - silent.begin());
    for (const auto &[teller, decision] : decisions_) {
        const bool before_its_word = leader == self && !heard_[static_cast<std::size_t>(teller)];
        if (before_its_word || (leader != self && (decision.leader >= leader || teller == leader))) {
            mine_ = decision.what;
            tell_all(leader == self ? self : decision.leader, silent);
            return true;
        }
    }
    if (leader != self) {
        if (turned_to_ != leader) {
            turned_to_ = leader;
            send(leader, false);
        }
        return false;
    }
    for (std::size_t rank = 0; rank != heard_.size(); ++rank) {
        if (static_cast<int>(rank) != self && !heard_[rank] && !silent[rank]) {
            return false;
        }
        mine_.failed[rank] = mine_.failed[rank] || silent[rank];
    }
    mine_.context = proposes_context_ ? next_context() : 0;
    tell_all(self, silent);
    return true;
}

void agreement::send(int to, bool decided) {
    const letter said{all_.self, number_, decided ? leader_ : -1, mine_};
    office_->send(letters(), to, said.text());
}

void agreement::tell_all(int leader, const std::vector<bool> &silent) {
    leader_ = leader;
    for (int rank = 0; rank != all_.size(); ++rank) {
        if (rank != all_.self && !silent[static_cast<std::size_t>(rank)]) {
            send(rank, true);
        }
    }
    take_note_of_failures();
    const bool unacknowledged = !std::ranges::equal(mine_.failed, mine_.acknowledged,
                                                    [](bool bad, bool known) { return !bad || known; });
    if (unacknowledged && !proposes_context_) {
        result.error = MPIX_ERR_PROC_FAILED;
    }
}

void agreement::take_note_of_failures() {
    for (int rank = 0; rank != all_.size(); ++rank) {
        if (rank != all_.self && mine_.failed[static_cast<std::size_t>(rank)]) {
            home->failures().hear_of_failure(all_.members->member(rank));
        }
    }
}

} // namespace lisle
