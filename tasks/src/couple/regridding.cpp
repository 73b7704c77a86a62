// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/regridding.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include <lisle/communicator.hpp>
#include <lisle/couple/exchange.hpp>
#include <lisle/couple/router.hpp>

#include "couple/agreement.hpp"
#include "couple/rejection.hpp"
#include "couple/weight_rows.hpp"

namespace lisle::couple {

/// The caller's rows, and the exchange that brings their sources.
class regridding::state {
  public:
    state(MPI_Comm all, const decomposition &offered, std::int64_t places, std::span<const weight> weights)
        : all_{all}, rows_{{weights.begin(), weights.end()}}, offered_{offered}, wanted_{decomposition::list(
                                                                                     offered.grid_points(),
                                                                                     rows_.sources())},
          routes_{all, offered_, wanted_}, places_{places} {}

    [[nodiscard]] std::int64_t unserved() const noexcept { return routes_.unserved(); }
    [[nodiscard]] std::int64_t sources() const noexcept { return wanted_.places(); }

    void apply(std::span<const double> from, std::span<double> to, std::int64_t levels) const {
        check_size("from", from.size(), offered_.places(), levels);
        check_size("to", to.size(), places_, levels);
        std::vector<double> values(static_cast<std::size_t>(sources() * levels));
        exchange{all_,
                 routes_,
                 offered_,
                 wanted_,
                 {field_place::of(from.data(), levels)},
                 {field_place::of(values.data(), levels)}}();
        for (std::int64_t level = 0; level != levels; ++level) {
            rows_.multiply(
                [&](std::int64_t source) {
                    return values[static_cast<std::size_t>(level * sources() + source)];
                },
                [&](std::int64_t place, double sum) {
                    to[static_cast<std::size_t>(level * places_ + place)] = sum;
                });
        }
    }

  private:
    static void check_size(const char *which, std::size_t is, std::int64_t places, std::int64_t levels) {
        if (static_cast<std::int64_t>(is) != places * levels) {
            detail::reject(std::string{"\""} + which + "\" has " + std::to_string(is) + " values for " +
                           std::to_string(places) + " points on " + std::to_string(levels) + " levels");
        }
    }

    MPI_Comm all_;
    detail::weight_rows rows_;
    decomposition offered_, wanted_;
    router routes_;
    std::int64_t places_;
};

regridding::regridding(MPI_Comm all, const decomposition &offered, std::int64_t places,
                       std::span<const weight> weights) {
    const communicator ranks{all};
    detail::agree_on(ranks, detail::what_is_wrong(weights, places, offered.grid_points()));
    state_ = std::make_unique<state>(all, offered, places, weights);
    detail::agree_on(ranks, state_->unserved() == 0
                                ? std::string{}
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
