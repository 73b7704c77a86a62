// SPDX-License-Identifier: Apache-2.0
#include "collective/node/hierarchy.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "collective/places.hpp"
#include "communicator/communicator_local.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle::collective {

hierarchy::hierarchy(const std::vector<int> &places) {
    std::map<int, int> number_of;
    for (int rank = 0; const int place : places) {
        const auto next = static_cast<int>(ranks_.size());
        const int number = number_of.try_emplace(place, next).first->second;
        if (number == next) {
            ranks_.emplace_back();
        }
        place_of_.push_back(number);
        ranks_[static_cast<std::size_t>(number)].push_back(rank++);
    }
    in_order_ = std::is_sorted(place_of_.begin(), place_of_.end());
}

int hierarchy::index_of(int rank) const noexcept {
    const std::vector<int> &ranks = ranks_of(place_of(rank));
    return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

namespace {

std::unique_ptr<hierarchy> make_hierarchy(const communicator &comm) {
    // Threads that are ranks share the messages of one rank of the job: they are in one place.
    if (comm.inter() || comm.of_threads() || comm.size() == 1) {
        return nullptr;
    }
    auto made = std::make_unique<hierarchy>(places_of(this_rank().get_job(), comm.local_group()));
    return made->places() > 1 && made->places() < comm.size() ? std::move(made) : nullptr;
}

const communicator_local<hierarchy> hierarchies{make_hierarchy};

} // namespace

hierarchy *hierarchy::of(const communicator &comm) {
    return hierarchies.of(comm);
}

collective_area *hierarchy::area(const communicator &comm) {
    job &here = this_rank().get_job();
    if (!area_sought_ && on_several_nodes(here, comm.local_group())) {
        std::vector<int> members;
        for (const int rank : ranks_of(place_of(comm.rank()))) {
            members.push_back(comm.local_group().member(rank));
        }
        near_ = group_ref::adopt(new group(std::move(members)));
        area_ = collective_area::make(comm, *near_, index_of(comm.rank()), keys_on_node(comm.context()));
    }
    area_sought_ = true;
    return area_.get();
}

two_levels::two_levels(const hierarchy &levels, const team &whole, collective_area *area, part_writer write,
                       leader by_default)
    : levels_{levels}, write_{write}, place_{levels.place_of(whole.rank)} {
    for (int place = 0; place < levels.places(); ++place) {
        const std::vector<int> &ranks = levels.ranks_of(place);
        leading_.push_back(by_default == leader::first ? ranks.front() : ranks.back());
    }
    build(whole, area);
}

two_levels::two_levels(const hierarchy &levels, const team &whole, collective_area *area, part_writer write,
                       int root)
    : levels_{levels}, write_{write}, place_{levels.place_of(whole.rank)}, root_place_{
                                                                               levels.place_of(root)} {
    for (int place = 0; place < levels.places(); ++place) {
        leading_.push_back(place == root_place_ ? root : levels.ranks_of(place).front());
    }
    build(whole, area);
}

void two_levels::build(const team &whole, collective_area *area) {
    const std::vector<int> &near = levels_.ranks_of(place_);
    lead_ = levels_.index_of(leading_[static_cast<std::size_t>(place_)]);
    within_ = {.channel = whole.channel,
               .rank = levels_.index_of(whole.rank),
               .size = static_cast<int>(near.size()),
               .shared = area,
               .ranks = near.data()};
    leaders_ = {.channel = whole.channel, .rank = place_, .size = levels_.places(), .ranks = leading_.data()};
}

} // namespace lisle::collective
