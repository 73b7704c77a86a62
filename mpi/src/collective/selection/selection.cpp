// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/selection.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "collective/algorithms/by_fabric.hpp"
#include "collective/node/hierarchy.hpp"
#include "collective/process/in_process.hpp"
#include "execution/rank.hpp"

namespace lisle::collective {

namespace {

/// What is known of a communicator without asking where its ranks are.
situation situation_of(const communicator &comm, form how, operation what, collective_area *area) {
    situation given{.what = what, .ranks = comm.inter() ? comm.peer_count() : comm.size()};
    given.inter = comm.inter();
    given.shared_memory = area != nullptr;
    given.one_process = area != nullptr && area->members().one_process();
    if (how == form::blocking && !by_messages(what) && !comm.inter()) {
        given.message = comm.size() == 2;
        given.in_process = in_process_collective::of(comm) != nullptr;
        given.pair = comm.size() == 2 && !given.in_process && area != nullptr;
    }
    return given;
}

collective_area *area_for(const communicator &comm, form how, operation what) {
    return may_use_area(how, what) && !comm.inter() ? collective_area::of(comm) : nullptr;
}

void describe_reduction(situation &given, const sizes &asked) {
    if (asked.reduction != nullptr) {
        given.contiguous = asked.elements->contiguous();
        given.predefined = asked.reduction->predefined();
        given.commutative = asked.reduction->commutative();
    }
}

void look_at_memory(situation &given, collective_area *area) {
    given.single_copy =
        area != nullptr && (given.one_process || (given.contiguous && area->members().memory_open()));
}

void look_at_places(situation &given, const communicator &comm) {
    if (comm.inter()) {
        return;
    }
    if (const hierarchy *const levels = hierarchy::of(comm);
        levels != nullptr && value_of(setting::recovery) == 0) {
        given.several_places = true;
        given.places_in_order = levels->in_order();
    }
    if (const member_collectives *const of_fabric = collectives_of_fabric(comm); of_fabric != nullptr) {
        given.mesh = of_fabric->has(given.what);
        given.in_pairs = of_fabric->in_pairs();
    }
}

bool is_in(const size_range &range, MPI_Count bytes) noexcept {
    return bytes >= range.least && bytes <= range.most;
}

/// True for algorithms that no setting turns away.
bool is_given(algorithm use) noexcept {
    return use == algorithm::between_groups || use == algorithm::copy;
}

} // namespace

std::optional<algorithm> asked_for(operation what) noexcept {
    const std::int64_t value = value_of(algorithm_of(what));
    return value == 0 ? std::nullopt
                      : std::optional{description_of(what).offered[static_cast<std::size_t>(value - 1)]};
}

const row &choose(const situation &given) noexcept {
    const std::span<const row> rows = rows_of(given.what);
    const auto wanted = asked_for(given.what);
    const auto is_wanted = [&](const row &each) {
        return (each.use == wanted || is_given(each.use)) && possible(each, given);
    };
    if (const auto found = std::ranges::find_if(rows, is_wanted); wanted && found != rows.end()) {
        return *found;
    }
    return *std::ranges::find_if(rows, [&](const row &each) {
        return possible(each, given) && is_in(range_of(each, given), given.bytes);
    });
}

const row &choose(const communicator &comm, form how, operation what, const sizes &asked) {
    collective_area *const area = area_for(comm, how, what);
    situation given = situation_of(comm, how, what, area);
    given.bytes = asked.bytes;
    given.posted = asked.posted;
    if (area != nullptr) {
        given.shared_memory = area->takes(asked.posted);
        given.pair = given.pair && given.shared_memory;
    }
    describe_reduction(given, asked);
    look_at_memory(given, area);
    look_at_places(given, comm);
    const row &chosen = choose(given);
    if (logs(log_area::collective)) {
        log_line(log_area::collective, known_rank().number(),
                 sentence(description_of(what).name, " of ", asked.bytes, " bytes among ", given.ranks,
                          " ranks: ", name_of(chosen.use)));
    }
    return chosen;
}

void write_part(schedule &plan, operation what, const team &ranks, const sizes &asked, const operands &data) {
    situation given{.what = what, .bytes = asked.bytes, .posted = asked.posted, .ranks = ranks.size};
    given.of_array = asked.of_array;
    describe_reduction(given, asked);
    if (ranks.shared != nullptr) {
        given.shared_memory = ranks.shared->takes(asked.posted);
        given.one_process = ranks.shared->members().one_process();
        look_at_memory(given, ranks.shared);
    }
    const row &use = choose(given);
    use.how.write(plan, {ranks, nullptr, true}, data);
    if (use.how.sends) {
        plan.await_all();
    }
}

choice_list::choice_list(const communicator &comm, form how, operation what)
    : area_{area_for(comm, how, what)}, given_{situation_of(comm, how, what, area_)} {}

bool choice_list::fits(const entry &each, const sizes &asked) const {
    return is_in(each.range, asked.bytes) && (!each.use->how.posts || area_->takes(asked.posted));
}

const row &choice_list::of(const communicator &comm, const sizes &asked) {
    for (const entry &each : found_) {
        if (fits(each, asked)) {
            return *each.use;
        }
    }
    // A row is passed when all that needs memory is done: ranks that choose differently would not meet.
    for (const std::span<const row> rows = rows_of(given_.what);; ++next_) {
        const row &each = rows[next_];
        if (each.how.asks_places && !places_known_) {
            look_at_memory(given_, area_);
            look_at_places(given_, comm);
            places_known_ = true;
        }
        if (!possible(each, given_)) {
            continue;
        }
        const entry made{range_of(each, given_), &each};
        if (made.range.least > made.range.most) {
            continue;
        }
        found_.push_back(made);
        if (fits(made, asked)) {
            ++next_;
            return each;
        }
    }
}

const row &choices::look(const communicator &comm, form how, operation what, const sizes &asked) {
    auto &list = lists_[static_cast<std::size_t>(how)][static_cast<std::size_t>(what)];
    if (list == nullptr) {
        list = std::make_unique<choice_list>(comm, how, what);
    }
    const row &use = list->of(comm, asked);
    if (const choice_list::entry &first = list->first(); how == form::blocking && first.range.least == 0) {
        blocking_[static_cast<std::size_t>(what)] = {first.range.most, first.use};
    }
    return use;
}

} // namespace lisle::collective
