// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/regridding.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <lisle/communicator.hpp>
#include <lisle/couple/exchange.hpp>
#include <lisle/couple/router.hpp>

#include "couple/refusal.hpp"

namespace lisle::couple {

namespace {

/// Throws at all ranks if any has a sentence: that of the first such rank.
void agree_on(const communicator &ranks, const std::string &own) {
    const int first = ranks.allreduce(own.empty() ? ranks.size() : ranks.rank(), minimum{});
    if (first != ranks.size()) {
        std::string sentence = own;
        ranks.broadcast(resized(sentence), {.root = first});
        detail::refuse(sentence + " (rank " + std::to_string(first) + ")");
    }
}

std::string what_is_wrong(std::span<const weight> weights, std::int64_t places, global_index grid_points) {
    for (const weight &each : weights) {
        if (each.place < 0 || each.place >= places) {
            return "a weight is for place " + std::to_string(each.place) + " of " + std::to_string(places);
        }
        if (each.source < 0 || each.source >= grid_points) {
            return "a weight is of point " + std::to_string(each.source) + " of a grid of " +
                   std::to_string(grid_points);
        }
    }
    return {};
}

std::vector<global_index> sources_of(std::span<const weight> weights) {
    std::vector<global_index> all;
    for (const weight &each : weights) {
        all.push_back(each.source);
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

} // namespace

/// The caller's rows, one after the other, and the sources that they name, in ascending order.
class regridding::state {
  public:
    state(MPI_Comm all, const decomposition &offered, const std::vector<global_index> &sources,
          std::int64_t places, std::span<const weight> weights)
        : all_{all}, offered_{offered}, wanted_{decomposition::list(offered.grid_points(), sources)},
          routes_{all, offered_, wanted_}, places_{places} {
        std::vector<weight> sorted(weights.begin(), weights.end());
        std::ranges::stable_sort(sorted, {}, [](const weight &each) {
            return std::tuple{each.place, each.source};
        });
        for (const weight &each : sorted) {
            if (rows_.empty() || rows_.back().place != each.place) {
                rows_.push_back({each.place, entries_.size()});
            }
            entries_.push_back(
                {static_cast<std::size_t>(std::ranges::lower_bound(sources, each.source) - sources.begin()),
                 each.factor});
        }
    }

    [[nodiscard]] std::int64_t unserved() const noexcept { return routes_.unserved(); }
    [[nodiscard]] std::int64_t sources() const noexcept { return wanted_.places(); }

    void apply(std::span<const double> from, std::span<double> to, std::int64_t levels) const {
        check_size("from", from.size(), offered_.places(), levels);
        check_size("to", to.size(), places_, levels);
        const auto count = static_cast<std::size_t>(wanted_.places());
        std::vector<double> values(count * static_cast<std::size_t>(levels));
        exchange{all_,
                 routes_,
                 offered_,
                 wanted_,
                 {field_place::of(from.data(), levels)},
                 {field_place::of(values.data(), levels)}}();
        for (std::int64_t level = 0; level != levels; ++level) {
            multiply(
                std::span{values}.subspan(static_cast<std::size_t>(level) * count, count),
                to.subspan(static_cast<std::size_t>(level * places_), static_cast<std::size_t>(places_)));
        }
    }

  private:
    struct row {
        std::int64_t place;
        std::size_t begin; ///< among the entries; it ends where the next one begins
    };
    struct entry {
        std::size_t source; ///< its place among the sources
        double factor;
    };

    static void check_size(const char *which, std::size_t is, std::int64_t places, std::int64_t levels) {
        if (static_cast<std::int64_t>(is) != places * levels) {
            detail::refuse(std::string{"\""} + which + "\" has " + std::to_string(is) + " values for " +
                           std::to_string(places) + " points on " + std::to_string(levels) + " levels");
        }
    }
    void multiply(std::span<const double> sources, std::span<double> to) const {
        for (std::size_t at = 0; at != rows_.size(); ++at) {
            const std::size_t end = at + 1 == rows_.size() ? entries_.size() : rows_[at + 1].begin;
            double sum = 0;
            for (std::size_t each = rows_[at].begin; each != end; ++each) {
                sum += entries_[each].factor * sources[entries_[each].source];
            }
            to[static_cast<std::size_t>(rows_[at].place)] = sum;
        }
    }

    MPI_Comm all_;
    decomposition offered_, wanted_;
    router routes_;
    std::int64_t places_;
    std::vector<row> rows_;
    std::vector<entry> entries_;
};

regridding::regridding(MPI_Comm all, const decomposition &offered, std::int64_t places,
                       std::span<const weight> weights) {
    const communicator ranks{all};
    agree_on(ranks, what_is_wrong(weights, places, offered.grid_points()));
    state_ = std::make_unique<state>(all, offered, sources_of(weights), places, weights);
    agree_on(ranks, state_->unserved() == 0 ? std::string{}
                                            : std::to_string(state_->unserved()) +
                                                  " of the points that weights name are offered by nobody");
}

regridding::regridding(regridding &&) noexcept = default;
regridding &regridding::operator=(regridding &&) noexcept = default;
regridding::~regridding() = default;

void regridding::operator()(std::span<const double> from, std::span<double> to, std::int64_t levels) const {
    state_->apply(from, to, levels);
}

std::int64_t regridding::sources() const noexcept {
    return state_->sources();
}

} // namespace lisle::couple
