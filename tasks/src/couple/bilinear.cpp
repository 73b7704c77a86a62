// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/interpolation.hpp>

#include <algorithm>

#include <lisle/communicator.hpp>

#include "couple/agreement.hpp"
#include "couple/bins.hpp"
#include "couple/element_map.hpp"
#include "couple/located_points.hpp"
#include "couple/outbound.hpp"
#include "couple/polygon.hpp"

namespace lisle::couple {

using detail::bins;
using detail::bounds;
using detail::outbound;

namespace {

/// Where the element contains points, and a little more than its tolerance asks for.
bounds reach_of(const mesh_element &of) noexcept {
    bounds all = bounds::none();
    for (std::size_t at = 0; at != of.count; ++at) {
        all = all.around(of.corners[at].at.x, of.corners[at].at.y);
    }
    return all.wider(4 * detail::edge_tolerance * (all.east - all.west + all.north - all.south));
}

/// On a cylinder places lie in its first turn, and elements wherever they reach into that.
std::vector<mesh_element> in_first_turn(const mesh_elements &from, double period) {
    if (period == 0) {
        return from.all();
    }
    std::vector<mesh_element> all;
    for (const mesh_element &each : from.all()) {
        const bounds reach = reach_of(each);
        for (double turn = std::ceil(-reach.east / period); reach.west + turn * period <= period; ++turn) {
            all.push_back(each);
            for (vertex &corner : all.back().corners) {
                corner.at.x += turn * period;
            }
        }
    }
    return all;
}

/// The weights of a place within an element; none if the element does not contain it, or only masked corners
/// of it count there.
std::vector<weight> weights_of(const mesh_element &in, const located_point &to, masked_corners how) {
    std::vector<weight> all;
    const auto factors = detail::weights_within(in, to.at);
    double sum = 0;
    for (std::size_t at = 0; factors && at != in.count; ++at) {
        if (const double factor = (*factors)[at]; factor > 0 && !in.corners[at].is_masked) {
            all.push_back({to.number, in.corners[at].point, factor});
            sum += factor;
        }
    }
    if (all.size() != in.count && how == masked_corners::rescale) {
        for (weight &each : all) {
            each.factor /= sum;
        }
    }
    return all;
}

bool is_before(const mesh_element &one, const mesh_element &other) noexcept {
    return std::ranges::lexicographical_compare(one.corners, other.corners, {}, &vertex::point,
                                                &vertex::point);
}

/// The weights for the places in the caller's bins, for the ranks of these.
outbound<weight> weights_in_bins(const detail::by_bin<mesh_element> &elements, const bins &of,
                                 const std::vector<addressed<std::vector<located_point>>> &places,
                                 masked_corners how) {
    outbound<weight> found;
    for (const auto &[rank, points] : places) {
        for (const located_point &to : points) {
            // On an edge all of its elements have the same weights, but for rounding; so which one counts
            // does not depend on the ranks that have them.
            const mesh_element *chosen = nullptr;
            std::vector<weight> weights;
            elements.for_all_in(of.bin_of(to.at.x, to.at.y), [&](const mesh_element &each) {
                if (chosen != nullptr && !is_before(each, *chosen)) {
                    return;
                }
                if (auto own = weights_of(each, to, how); !own.empty()) {
                    chosen = &each;
                    weights = std::move(own);
                }
            });
            for (const weight &each : weights) {
                found.add(rank, each);
            }
        }
    }
    return found;
}

} // namespace

void mesh_elements::add(std::span<const vertex> corners) {
    std::string which = "the element of the points";
    for (const vertex &each : corners) {
        which += " " + std::to_string(each.point);
    }
    if (corners.size() > mesh_element::most_corners) {
        detail::reject(which + " has " + std::to_string(corners.size()) + " corners, not 3 or " +
                       std::to_string(mesh_element::most_corners));
    }
    mesh_element made{static_cast<std::uint32_t>(corners.size()), {}};
    std::array<corner, mesh_element::most_corners> places{};
    for (std::size_t at = 0; at != corners.size(); ++at) {
        made.corners[at] = corners[at];
        places[at] = corners[at].at;
    }
    static_cast<void>(detail::checked_polygon(which, std::span{places}.first(corners.size())));
    all_.push_back(made);
}

interpolation_weights bilinear_weights(MPI_Comm all, const mesh_elements &from,
                                       std::span<const located_point> to, const bilinear_options &how) {
    const communicator ranks{all};
    detail::agree_on(ranks, detail::what_is_wrong(to));
    const std::vector<mesh_element> elements = in_first_turn(from, how.period);
    std::vector<located_point> places(to.begin(), to.end());
    bounds own = bounds::none();
    for (const mesh_element &each : elements) {
        own = own.around(reach_of(each));
    }
    for (located_point &each : places) {
        each.at.x = detail::in_first_turn(each.at.x, how.period);
    }
    // Places beyond all elements are in the bins at the edge, where none contains them.
    const bins shared{ranks, own, static_cast<std::int64_t>(elements.size())};

    outbound<mesh_element> told;
    for (const mesh_element &each : elements) {
        shared.for_owners_of(reach_of(each), [&](int rank) { told.add(rank, each); });
    }
    const std::vector<mesh_element> heard = told.exchanged_contents(ranks);
    detail::by_bin<mesh_element> here{shared, ranks.rank()};
    for (const mesh_element &each : heard) {
        here.add(each, reach_of(each));
    }
    here.sort();

    outbound<located_point> asked;
    for (const located_point &each : places) {
        asked.add(shared.owner_of(shared.bin_of(each.at.x, each.at.y)), each);
    }
    auto weights = weights_in_bins(here, shared, asked.exchanged(ranks), how.masked);
    return detail::completed(weights.exchanged_contents(ranks), to);
}

} // namespace lisle::couple
