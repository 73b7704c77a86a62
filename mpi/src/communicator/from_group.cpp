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
#include "protocol/once_there_is_memory.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

/// FNV-1a, which all ranks compute alike.
class digest {
  public:
    explicit digest(std::string_view text) { add(text.data(), text.size()); }
    void add(const group &members) {
        const job &here = this_rank().get_job();
        for (int rank = 0; rank < members.size(); ++rank) {
            const rank_name name = here.name_of(members.member(rank));
            const std::uint64_t words[]{static_cast<std::uint64_t>(name.job),
                                        static_cast<std::uint64_t>(name.number)};
            add(words, sizeof words);
        }
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

/// The caller's communicator.
communicator_ref make(std::uint64_t context, const group &local, const group *remote, int self,
                      const creation_options &options) {
    auto made = communicator_ref::adopt(new communicator{context, local, remote, self});
    made->errors.set(options.errors);
    made->session = local.session();
    if (options.hints != nullptr) {
        made->hints.apply(*options.hints);
    }
    return made;
}

/// Where the leaders of two groups meet, who have no communicator. @param leaders what the place is made of
leaders_meeting meeting_of(const group &local, int local_leader, const group *remote, int remote_leader,
                           std::string_view name, group_ref &leaders) {
    if (remote == nullptr || remote_leader < 0 || remote_leader >= remote->size()) {
        fail(MPI_ERR_ARG, "remote_leader ", remote_leader, " is outside remote_group");
    }
    // The two leaders, in an order on which both agree.
    const int here = local.member(local_leader);
    const int there = remote->member(remote_leader);
    if (here == there) {
        fail(MPI_ERR_GROUP, "both leaders are rank ", here, " of the job: the groups overlap");
    }
    const rank &self = this_rank();
    const job &known = self.get_job();
    const bool first = known.name_of(here) < known.name_of(there);
    protocol::once_there_is_memory(self.engine(), [&] {
        leaders = make_group({first ? here : there, first ? there : here});
    });
    digest meeting{name};
    meeting.add(*leaders);
    return {protocol::make_channel(leaders_meeting_context, leaders->rank_of(here), *leaders), meeting.tag(),
            leaders->rank_of(there)};
}

} // namespace

communicator_ref create_from_group(const group &members, std::string_view name,
                                   const creation_options &options) {
    const int self = self_in(members, "the group");
    digest what{name};
    what.add(members);
    const party all{protocol::make_channel(meeting_context, self, members), what.tag()};
    std::uint64_t first = what.value();
    all.broadcast(first);
    return make_together(all, [&] {
        check_digest(first, what);
        return make(0, members, nullptr, self, options);
    });
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
    shared_attempt own;
    group_ref leaders;
    std::optional<leaders_meeting> between;
    std::vector<std::uint64_t> met;
    own.attempt([&] {
        met = told_by_leader<std::uint64_t>(members, local_leader, most_words_of_names, [&] {
            between = meeting_of(local, local_leader, remote, remote_leader, name, leaders);
            return meet_leader(*between, local);
        });
    });
    communicator_ref made;
    own.attempt([&] {
        check_context(met.front());
        made =
            make(met.front(), local, remote_group_of(std::span{met}.subspan(1), local).get(), self, options);
    });
    own.settle_across(members, local_leader, between);
    return made;
}

} // namespace lisle
