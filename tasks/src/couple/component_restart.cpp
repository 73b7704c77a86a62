// SPDX-License-Identifier: Apache-2.0
// What a restart file has of a component: its declaration and its step, its fields, and for each coupling
// what the receiver holds and what the sender has begun to sum up.
#include "couple/component_state.hpp"

#include "couple/words.hpp"

namespace lisle::couple {

namespace {

constexpr std::int64_t no_message = -1;

detail::word_writer &operator<<(detail::word_writer &text, const steps &when) {
    return text << when.period << when.offset << when.end;
}
steps read_steps(detail::word_reader &from) {
    steps read;
    read.period = from.number();
    read.offset = from.number();
    read.end = from.number();
    return read;
}

std::vector<std::int64_t> read_numbers(detail::word_reader &from) {
    std::vector<std::int64_t> all;
    for (std::int64_t left = from.number(); left > 0; --left) {
        all.push_back(from.number());
    }
    return all;
}

} // namespace

std::string component::state::header() const {
    detail::word_writer text;
    text << written(declared()) << step_ << static_cast<std::int64_t>(kept_.size());
    for (const offer &each : kept_) {
        text << each.name << static_cast<std::int64_t>(detail::size_of(each.place.type)) << each.place.levels
             << each.points.grid_points();
    }
    for (const wanted_field &each : wants_) {
        const std::vector<std::int64_t> held = each.coupling->held_steps();
        text << each.coupling->when().sender() << static_cast<std::int64_t>(held.size());
        for (const std::int64_t step : held) {
            text << step;
        }
    }
    for (const offered_field &each : offers_) {
        text << static_cast<std::int64_t>(each.couplings.size());
        for (const sending &to : each.couplings) {
            text << to.receiver << (to.coupling.open() ? to.coupling.open()->receiver_step : no_message);
        }
    }
    return std::move(text).text();
}

template <class Visit> void component::state::for_stored(const Visit &visit) {
    for (const offer &each : kept_) {
        visit(each.points, each.place);
    }
    for (wanted_field &each : wants_) {
        visit(each.what.points, each.what.place);
        each.coupling->for_held(
            [&](detail::dense_field &values) { visit(each.coupling->points(), values.place()); });
    }
    for (offered_field &each : offers_) {
        visit(each.what.points, each.what.place);
        for (sending &to : each.couplings) {
            if (to.coupling.open()) {
                // A message that is summed up has numbers, whatever the field has.
                visit(each.what.points,
                      field_place::of(to.coupling.open()->values.data(), each.what.place.levels));
            }
        }
    }
}

void component::state::collect(const std::map<std::string, std::int64_t> &steps_done_of) {
    for (wanted_field &each : wants_) {
        const std::int64_t times = steps_between_gets(each);
        each.coupling->collect(steps_done_of.at(each.what.from), (steps_done() + times - 1) / times);
    }
}

detail::restart_file component::state::write(const std::string &path) {
    detail::restart_file file = detail::restart_file::create(ranks_, path, header());
    for_stored([&](const decomposition &points, const field_place &place) { file.write(points, place); });
    file.close();
    return file;
}

void component::state::read(detail::restart_file &from) {
    for_stored([&](const decomposition &points, const field_place &place) { from.read(points, place); });
    from.close();
}

std::string component::state::resume(const std::string &header) try {
    detail::word_reader from{header};
    if (from.word() != written(declared())) {
        return "is of a component with other steps or fields than \"" + name_ + "\" has declared";
    }
    step_ = from.number();
    if (from.number() != static_cast<std::int64_t>(kept_.size())) {
        return "keeps another number of fields than \"" + name_ + "\" does";
    }
    for (const offer &each : kept_) {
        const std::string name = from.word();
        const std::int64_t bytes = from.number(), levels = from.number(), points = from.number();
        if (name != each.name || bytes != static_cast<std::int64_t>(detail::size_of(each.place.type)) ||
            levels != each.place.levels || points != each.points.grid_points()) {
            return "keeps \"" + name + "\" where \"" + name_ + "\" keeps \"" + each.name +
                   "\", or keeps it in another form";
        }
    }
    for (wanted_field &each : wants_) {
        const steps sender = read_steps(from);
        if (sender != each.coupling->when().sender() || !each.coupling->hold(read_numbers(from))) {
            return "was written when \"" + each.what.from + "\" had other steps";
        }
        each.got_until = steps_done();
    }
    for (offered_field &each : offers_) {
        if (from.number() != static_cast<std::int64_t>(each.couplings.size())) {
            return "was written when others wanted \"" + each.what.name + "\"";
        }
        for (sending &to : each.couplings) {
            if (from.word() != to.receiver) {
                return "was written when others wanted \"" + each.what.name + "\"";
            }
            to.coupling.resume(steps_done());
            if (const std::int64_t open = from.number(); open != no_message) {
                to.coupling.begin_message(open);
            }
        }
        each.put_until = steps_done();
    }
    restored_step_ = step_;
    return {};
} catch (const std::invalid_argument &error) {
    return std::string{"has a header that cannot be read: "} + error.what();
}

} // namespace lisle::couple
