// SPDX-License-Identifier: Apache-2.0
// Communicators without a parent: the members of a group meet on a context that belongs to no communicator.
// What tells one such call from another is a tag made of the user's string and the members; a second, longer
// digest of the same travels along, so that two calls with one tag are noticed.
#include <algorithm>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/creation.hpp"
#include "communicator/introduction.hpp"
#include "communicator/remote_exchange.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

/// FNV-1a, which all ranks compute alike.
class digest {
  public:
    explicit digest(std::string_view text) { add(text.data(), text.size()); }
    void add(const group &members) {
        const std::vector<std::uint64_t> names = names_of(members);
        add(names.data(), names.size() * sizeof names.front());
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
    [[nodiscard]] int tag() const noexcept {
        return static_cast<int>((value_ ^ value_ >> 33U) & 0x7fffffffU);
    }

  private:
    void add(const void *data, std::size_t size) {
        const auto *const bytes = static_cast<const unsigned char *>(data);
        for (std::size_t i = 0; i < size; ++i) {
            value_ = (value_ ^ bytes[i]) * 0x100000001b3U;
        }
    }
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

int self_in(const group &members, const char *which) {
    const int self = members.rank_of(this_rank().number());
    if (self == MPI_UNDEFINED) {
        fail(MPI_ERR_GROUP, "the calling process is not in ", which);
    }
    return self;
}

void check_digest(std::uint64_t theirs, const digest &mine) {
    if (theirs != mine.value()) {
        fail(MPI_ERR_OTHER, "another member makes another communicator: stringtag or group differ");
    }
}

communicator_ref make(std::uint64_t context, const group &local, const group *remote, int self,
                      const creation_options &options) {
    check_context(context);
    auto made = communicator_ref::adopt(new communicator{context, local, remote, self});
    made->errors.set(options.errors);
    made->session = local.session();
    if (options.hints != nullptr) {
        made->hints.apply(*options.hints);
    }
    return made;
}

} // namespace

communicator_ref create_from_group(const group &members, std::string_view name,
                                   const creation_options &options) {
    const int self = self_in(members, "the group");
    digest what{name};
    what.add(members);
    struct {
        std::uint64_t context;
        std::uint64_t digest;
    } agreed{self == 0 ? next_context() : 0, what.value()};
    party{protocol::make_channel(meeting_context, self, members), what.tag()}.broadcast(agreed);
    check_digest(agreed.digest, what);
    return make(agreed.context, members, nullptr, self, options);
}

communicator_ref connect_from_groups(const group &local, int local_leader, const group *remote,
                                     int remote_leader, std::string_view name,
                                     const creation_options &options) {
    const int self = self_in(local, "local_group");
    if (local_leader < 0 || local_leader >= local.size()) {
        fail(MPI_ERR_ARG, "local_leader ", local_leader, " is outside local_group, which has ", local.size(),
             " members");
    }
    digest what{name};
    what.add(local);
    const party members{protocol::make_channel(meeting_context, self, local), what.tag()};
    const auto met = told_by_leader<std::uint64_t>(members, local_leader, most_words_of_names, [&] {
        if (remote == nullptr || remote_leader < 0 || remote_leader >= remote->size()) {
            fail(MPI_ERR_ARG, "remote_leader ", remote_leader, " is outside remote_group");
        }
        // The two leaders, in an order on which both agree.
        const int here = local.member(local_leader);
        const int there = remote->member(remote_leader);
        if (here == there) {
            fail(MPI_ERR_GROUP, "both leaders are rank ", here, " of the job: the groups overlap");
        }
        const job &known = this_rank().get_job();
        const bool first = known.name_of(here) < known.name_of(there);
        const group_ref leaders = make_group({first ? here : there, first ? there : here});
        digest meeting{name};
        meeting.add(*leaders);
        std::vector<std::uint64_t> mine{next_context()};
        const auto names = names_of(local);
        mine.insert(mine.end(), names.begin(), names.end());
        std::vector<std::uint64_t> theirs =
            exchange_lists(protocol::make_channel(leaders_meeting_context, leaders->rank_of(here), *leaders),
                           meeting.tag(), leaders->rank_of(there), mine, most_words_of_names);
        if (theirs.size() < 3) {
            fail(MPI_ERR_OTHER, "the remote leader sent no members");
        }
        theirs.front() = std::min(theirs.front(), mine.front());
        return theirs;
    });
    const group_ref others = remote_group_of(std::span{met}.subspan(1), local);
    return make(met.front(), local, others.get(), self, options);
}

} // namespace lisle
