// SPDX-License-Identifier: Apache-2.0
// The sender's points lie at the ranks that have their bins. Each place first asks the rank of its own bin;
// how far its neighbours there are says which other ranks may have nearer ones. Where there are too few, the
// circle around it grows until there are enough.
#include <lisle/couple/interpolation.hpp>

#include <algorithm>
#include <cmath>

#include <lisle/communicator.hpp>

#include "couple/agreement.hpp"
#include "couple/bins.hpp"
#include "couple/located_points.hpp"
#include "couple/nearest_tree.hpp"
#include "couple/outbound.hpp"
#include "couple/search_space.hpp"

namespace lisle::couple {

using detail::bins;
using detail::bounds;
using detail::nearest_few;
using detail::nearest_tree;
using detail::neighbour;
using detail::outbound;
using detail::placed_point;
using detail::position;
using detail::search_space;

namespace {

struct question {
    std::int64_t search; ///< which one of the asking rank's
    position at;
    double limit;
};
struct answer {
    std::int64_t search;
    neighbour found;
};

/// The way to the neighbours of one place.
class search {
  public:
    search(const located_point &to, const position &at, std::int64_t neighbours)
        : to_{to}, at_{at}, found_{neighbours} {}

    /// Asks those ranks that may have something within reach and have not been asked.
    void ask(const search_space &space, const bins &of, std::int64_t number, outbound<question> &into) {
        space.for_areas_around(to_.at, reach_, [&](const bounds &area) {
            of.for_owners_of(area, [&](int rank) {
                const auto place = std::ranges::lower_bound(asked_, rank);
                if (place == asked_.end() || *place != rank) {
                    asked_.insert(place, rank);
                    into.add(rank, {number, at_, found_.limit()});
                }
            });
        });
    }
    void meet(const neighbour &other) { found_.meet(other); }
    /// @return whether nothing nearer can be anywhere. @param least what the reach is increased by
    bool is_over_or_grows(double least) {
        if (!found_.is_full()) {
            reach_ = std::max(2 * reach_, least);
            return false;
        }
        const double needed = std::sqrt(found_.limit());
        const bool is_over = needed <= reach_;
        reach_ = std::max(reach_, needed);
        return is_over;
    }

    void add_weights(const search_space &space, double power, std::vector<weight> &into) const {
        const double nearest = space.distance_of(found_.all().front().square);
        const std::size_t first = into.size();
        double sum = 0;
        for (const neighbour &each : found_.all()) {
            const double distance = space.distance_of(each.square);
            if (nearest == 0 && into.size() != first) {
                break;
            }
            const double factor = distance == 0 ? 1 : std::pow(nearest / distance, power);
            into.push_back({to_.number, each.number, factor});
            sum += factor;
        }
        for (std::size_t at = first; at != into.size(); ++at) {
            into[at].factor /= sum;
        }
    }

  private:
    located_point to_;
    position at_;
    nearest_few found_;
    double reach_ = 0;
    std::vector<int> asked_; ///< ranks, in ascending order
};

/// The sender's points that lie in the caller's bins.
nearest_tree tree_of_bins(const communicator &ranks, const search_space &space, const bins &of,
                          std::span<const located_point> from) {
    outbound<placed_point> told;
    for (const located_point &each : from) {
        const corner at = space.in_plane(each.at);
        told.add(of.owner_of(of.bin_of(at.x, at.y)), {each.number, space.position_of(each.at)});
    }
    return nearest_tree{told.exchanged_contents(ranks)};
}

outbound<answer> answers_to(const communicator &ranks, outbound<question> &asked, const nearest_tree &tree,
                            const search_space &space, std::int64_t neighbours) {
    outbound<answer> all;
    for (const auto &[rank, questions] : asked.exchanged(ranks)) {
        for (const question &each : questions) {
            nearest_few found{neighbours, each.limit};
            space.for_images_of(each.at, [&](const position &at) { tree.look_for(at, found); });
            for (const neighbour &met : found.all()) {
                all.add(rank, {each.search, met});
            }
        }
    }
    return all;
}

std::string what_is_wrong_with(const nearest_options &how) {
    if (how.neighbours < 1 || !(how.power >= 0)) {
        return "a point cannot have " + std::to_string(how.neighbours) +
               " neighbours whose weights fall with the power " + std::to_string(how.power) +
               " of the distance";
    }
    return {};
}

} // namespace

interpolation_weights nearest_weights(MPI_Comm all, std::span<const located_point> from,
                                      std::span<const located_point> to, const nearest_options &how) {
    const communicator ranks{all};
    const search_space space{how};
    std::string wrong = what_is_wrong_with(how);
    for (const auto &points : {from, to}) {
        wrong = wrong.empty() ? space.what_is_wrong(points) : wrong;
    }
    detail::agree_on(ranks, wrong);
    bounds own = bounds::none();
    for (const located_point &each : from) {
        const corner at = space.in_plane(each.at);
        own = own.around(at.x, at.y);
    }
    const auto count = static_cast<std::int64_t>(from.size());
    const bins shared{ranks, own, count};
    const std::int64_t points = ranks.allreduce(count, std::plus<>{});
    const std::int64_t neighbours = std::min<std::int64_t>(how.neighbours, points);
    if (points == 0) {
        return detail::completed({}, to);
    }
    const nearest_tree tree = tree_of_bins(ranks, space, shared, from);
    const double least = space.spacing(shared.whole(), static_cast<double>(points));

    std::vector<search> searches;
    std::vector<std::int64_t> open;
    for (const located_point &each : to) {
        open.push_back(static_cast<std::int64_t>(searches.size()));
        searches.emplace_back(each, space.position_of(each.at), neighbours);
    }
    const auto number = [&](std::int64_t at) -> search & { return searches[static_cast<std::size_t>(at)]; };
    while (ranks.allreduce(open.empty() ? 0 : 1, maximum{}) != 0) {
        outbound<question> asked;
        for (const std::int64_t each : open) {
            number(each).ask(space, shared, each, asked);
        }
        for (const answer &each :
             answers_to(ranks, asked, tree, space, neighbours).exchanged_contents(ranks)) {
            number(each.search).meet(each.found);
        }
        std::erase_if(open, [&](std::int64_t each) { return number(each).is_over_or_grows(least); });
    }
    std::vector<weight> weights;
    for (const search &each : searches) {
        each.add_weights(space, how.power, weights);
    }
    return detail::completed(std::move(weights), to);
}

} // namespace lisle::couple
