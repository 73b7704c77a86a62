// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "couple/component_state.hpp"

namespace lisle::couple {

namespace {

[[noreturn]] void misused(const std::string &sentence) {
    throw std::logic_error{"couple: " + sentence};
}

detail::declared_field declared(const std::string &name, const field_place &place, global_index grid_points,
                                const std::string &unit) {
    return {name,
            detail::kind_of(place.type),
            static_cast<std::int64_t>(detail::size_of(place.type)),
            place.levels,
            grid_points,
            unit};
}

template <class Field> Field &find(std::vector<Field> &all, const std::string &name,
                                   const std::string &component, const char *verb) {
    const auto found = std::ranges::find_if(all, [&](const Field &each) { return each.what.name == name; });
    if (found == all.end()) {
        misused("\"" + component + "\" " + verb + " no field \"" + name + "\"");
    }
    return *found;
}

} // namespace

void component::state::check_not_begun() const {
    if (begun_) {
        misused("\"" + name_ + "\" declares something after the job has begun");
    }
}

void component::state::check_running(const char *call) const {
    if (!begun_ || is_at_end()) {
        misused("\"" + name_ + "\" calls " + call +
                (begun_ ? " after its end at " + std::to_string(when_.end) : " before the job has begun"));
    }
}

void component::state::set_steps(const steps &when) {
    check_not_begun();
    when_ = when;
}
void component::state::add(offer what) {
    check_not_begun();
    offers_.push_back({std::move(what), {}});
}
void component::state::add(want what) {
    check_not_begun();
    if (what.field.empty()) {
        what.field = what.name;
    }
    what.regrids = what.regrids || !what.weights.empty();
    wants_.push_back({std::move(what), nullptr});
}

void component::state::keep(offer what) {
    check_not_begun();
    kept_.push_back(std::move(what));
}

bool component::state::configure(const detail::configured_want &how) {
    check_not_begun();
    const auto found =
        std::ranges::find_if(wants_, [&](const wanted_field &each) { return each.what.name == how.want; });
    if (found == wants_.end()) {
        return false;
    }
    want &what = found->what;
    what.from = how.from;
    what.field = how.field;
    what.how = how.how.value_or(what.how);
    what.lag = how.lag.value_or(what.lag);
    what.every = how.every.value_or(what.every);
    what.is_iterated = what.is_iterated || how.is_iterated;
    return true;
}

detail::declaration component::state::declared() const {
    detail::declaration all{name_, when_, {}, {}};
    for (const offered_field &each : offers_) {
        all.offers.push_back(couple::declared(each.what.name, each.what.place, each.what.points.grid_points(),
                                              each.what.unit));
    }
    for (const wanted_field &each : wants_) {
        all.wants.push_back({couple::declared(each.what.name, each.what.place, each.what.points.grid_points(),
                                              each.what.unit),
                             each.what.from, each.what.field, each.what.how, each.what.lag, each.what.every,
                             each.what.regrids, each.what.is_iterated});
    }
    return all;
}

void component::state::put(offered_field &field) {
    if (field.put_until > step_) {
        if (step_ == restored_step_) {
            return;
        }
        misused("\"" + name_ + "\" puts \"" + field.what.name + "\" a second time at " +
                std::to_string(time()));
    }
    field.put_until = step_ + 1;
    for (sending &each : field.couplings) {
        if (!repeats_ || each.is_iterated) {
            each.coupling.put(step_);
        }
    }
}
void component::state::put(const std::string &field) {
    check_running("put");
    put(find(offers_, field, name_, "offers"));
}
void component::state::put_all() {
    check_running("put");
    for (offered_field &each : offers_) {
        if (each.put_until == step_) {
            put(each);
        }
    }
}

void component::state::get(wanted_field &field) {
    // Others may wait for what this component has at this time, and it would wait for them. But of two that
    // iterate, one may put its answer.
    for (const offered_field &each : offers_) {
        if (each.put_until == step_ && !each.couplings.empty() &&
            !(field.what.is_iterated && each.is_iterated())) {
            misused("\"" + name_ + "\" gets \"" + field.what.name + "\" at " + std::to_string(time()) +
                    " before it has put \"" + each.what.name + "\"");
        }
    }
    if (field.got_until > step_) {
        if (step_ == restored_step_) {
            return;
        }
        misused("\"" + name_ + "\" gets \"" + field.what.name + "\" a second time at " +
                std::to_string(time()));
    }
    field.got_until = step_ + 1;
    if (const std::int64_t times = steps_between_gets(field); step_ % times == 0) {
        const detail::wait_mark waits{activity_ ? &*activity_ : nullptr};
        field.coupling->get(step_ / times);
    }
}
void component::state::get(const std::string &field) {
    check_running("get");
    get(find(wants_, field, name_, "wants"));
}
void component::state::get_all() {
    check_running("get");
    for (wanted_field &each : wants_) {
        if (each.got_until == step_) {
            get(each);
        }
    }
}

std::string component::state::what_is_not_put() const {
    for (const offered_field &each : offers_) {
        if (!is_at_end() && each.put_until == step_ && !each.couplings.empty()) {
            return "\"" + name_ + "\" goes on from " + std::to_string(time()) + " without having put \"" +
                   each.what.name + "\"";
        }
    }
    return {};
}

void component::state::advance() {
    check_running("advance");
    if (const std::string wrong = what_is_not_put(); !wrong.empty()) {
        misused(wrong);
    }
    get_all();
    settle();
    for (offered_field &each : offers_) {
        each.put_until = step_ + 1;
    }
    ++step_;
    repeats_ = false;
    if (activity_ && is_at_end()) {
        activity_->end();
    }
}

// What is sent from a field's memory has to arrive before that changes, as it does when the component goes
// on.
void component::state::repeat() {
    check_running("repeat");
    if (const std::string wrong = what_is_not_put(); !wrong.empty()) {
        misused(wrong);
    }
    get_all();
    settle();
    for (offered_field &each : offers_) {
        each.put_until -= each.is_iterated() ? 1 : 0;
    }
    for (wanted_field &each : wants_) {
        each.got_until -= each.what.is_iterated ? 1 : 0;
    }
    repeats_ = true;
}

void component::state::settle() {
    check_running("settle");
    const detail::wait_mark waits{activity_ ? &*activity_ : nullptr};
    for (offered_field &each : offers_) {
        for (sending &to : each.couplings) {
            to.coupling.settle(step_);
        }
    }
}

void component::state::finish() {
    for (offered_field &each : offers_) {
        for (sending &to : each.couplings) {
            to.coupling.finish();
        }
    }
}

// ---- what programs see ----

component::component(std::unique_ptr<state> made) : state_{std::move(made)} {}
component::component(component &&) noexcept = default;
component::~component() = default;

const std::string &component::name() const noexcept {
    return state_->name();
}
MPI_Comm component::ranks() const noexcept {
    return state_->ranks();
}
void component::runs(const steps &when) {
    state_->set_steps(when);
}
void component::offers(offer what) {
    state_->add(std::move(what));
}
void component::wants(want what) {
    state_->add(std::move(what));
}
void component::keeps(offer what) {
    state_->keep(std::move(what));
}
ticks component::time() const noexcept {
    return state_->time();
}
bool component::is_at_end() const noexcept {
    return state_->is_at_end();
}
void component::put(const std::string &name) {
    state_->put(name);
}
void component::put() {
    state_->put_all();
}
void component::get(const std::string &name) {
    state_->get(name);
}
void component::get() {
    state_->get_all();
}
void component::advance() {
    state_->advance();
}
void component::settle() {
    state_->settle();
}
void component::repeat() {
    state_->repeat();
}

} // namespace lisle::couple
