// SPDX-License-Identifier: Apache-2.0
#include "couple/declaration.hpp"

#include <algorithm>
#include <array>

#include "couple/rejection.hpp"
#include "couple/words.hpp"

namespace lisle::couple::detail {

namespace {

word_writer &operator<<(word_writer &text, const declared_field &field) {
    return text << field.name << static_cast<std::int64_t>(field.kind) << field.element_bytes << field.levels
                << field.grid_points << field.unit;
}

declared_field read_field(word_reader &from) {
    declared_field read;
    read.name = from.word();
    read.kind = static_cast<number_kind>(from.number());
    read.element_bytes = from.number();
    read.levels = from.number();
    read.grid_points = from.number();
    read.unit = from.word();
    return read;
}

template <class Named> std::string names_of(const std::vector<Named> &all, std::string Named::*name) {
    std::string text;
    for (const Named &each : all) {
        text += (text.empty() ? "" : ", ") + (each.*name);
    }
    return text.empty() ? "none" : text;
}

std::string told(const declared_field &field) {
    constexpr std::array<const char *, 3> kinds{"real64", "real32", ""};
    const std::string kind = field.kind == number_kind::other
                                 ? "elements of " + std::to_string(field.element_bytes) + " bytes"
                                 : kinds[static_cast<std::size_t>(field.kind)];
    return std::to_string(field.levels) + (field.levels == 1 ? " level of " : " levels of ") + kind;
}

void check_steps(const declaration &of) {
    if (of.when.period < 1) {
        reject("\"" + of.component + "\" has steps of " + std::to_string(of.when.period) +
               "; they take at least 1");
    }
}

void check_offers(const declaration &of) {
    for (std::size_t at = 0; at != of.offers.size(); ++at) {
        for (std::size_t before = 0; before != at; ++before) {
            if (of.offers[before].name == of.offers[at].name) {
                reject("\"" + of.component + "\" offers \"" + of.offers[at].name + "\" twice");
            }
        }
    }
}

/// @param who the beginning of the sentence: whose want it is
void check_fit(const std::string &who, const declared_want &wanted, const std::string &sender,
               const declared_field &offered) {
    const auto both = [&](const std::string &has, const std::string &wants) {
        reject(who + " is declared with " + wants + ", but \"" + sender + "\" offers it with " + has);
    };
    if (wanted.own.kind != offered.kind || wanted.own.element_bytes != offered.element_bytes ||
        wanted.own.levels != offered.levels) {
        both(told(offered), told(wanted.own));
    }
    if (wanted.own.grid_points != offered.grid_points && !wanted.regrids) {
        both("a grid of " + std::to_string(offered.grid_points) + " points",
             "a grid of " + std::to_string(wanted.own.grid_points) + " points and no weights");
    }
    if (!wanted.own.unit.empty() && !offered.unit.empty() && wanted.own.unit != offered.unit) {
        both("the unit " + offered.unit, "the unit " + wanted.own.unit);
    }
    if (wanted.lag < 0) {
        reject(who + " has a lag of " + std::to_string(wanted.lag) + ": what is still to come cannot be had");
    }
    if (offered.kind == number_kind::other && (wanted.how != over_time::latest || wanted.regrids)) {
        reject(who + " asks for " +
               (wanted.regrids ? "regridding" : "the " + std::string{name_of(wanted.how)}) +
               " of what is no field of floating-point numbers");
    }
}

void check_period(const std::string &who, const declared_want &wanted, const declaration &receiver) {
    if (wanted.every < 0 || wanted.every % receiver.when.period != 0) {
        reject(who + " is wanted every " + std::to_string(wanted.every) + ", which is no multiple of " +
               std::to_string(receiver.when.period) + ", the steps of \"" + receiver.component + "\"");
    }
}

// Both sides repeat the same step, so that what one puts is what the other gets.
void check_iterated(const std::string &who, const declared_want &wanted, const steps &receiver,
                    const steps &sender) {
    if (!wanted.is_iterated) {
        return;
    }
    if (wanted.how != over_time::latest || wanted.lag != 0) {
        reject(who + " is iterated, so it has to be the latest value without a lag");
    }
    if (wanted.every > receiver.period) {
        reject(who + " is iterated, so it is got at each time, not every " + std::to_string(wanted.every));
    }
    if (receiver != sender) {
        reject(who + " is iterated, so its component needs the same steps as \"" + wanted.from + "\"");
    }
}

template <class Named>
std::size_t find(const std::vector<Named> &all, std::string Named::*name, const std::string &wanted) {
    return static_cast<std::size_t>(std::ranges::find(all, wanted, name) - all.begin());
}

} // namespace

const char *name_of(over_time how) noexcept {
    constexpr std::array<const char *, 6> ways{"latest", "linear", "mean", "sum", "minimum", "maximum"};
    return ways[static_cast<std::size_t>(how)];
}

std::string written(const declaration &of) {
    word_writer text;
    text << of.component << of.when.period << of.when.offset << of.when.end
         << static_cast<std::int64_t>(of.offers.size());
    for (const declared_field &each : of.offers) {
        text << each;
    }
    text << static_cast<std::int64_t>(of.wants.size());
    for (const declared_want &each : of.wants) {
        text << each.own << each.from << each.field << static_cast<std::int64_t>(each.how) << each.lag
             << each.every << static_cast<std::int64_t>(each.regrids ? 1 : 0)
             << static_cast<std::int64_t>(each.is_iterated ? 1 : 0);
    }
    return std::move(text).text();
}

namespace {

declaration read_one(word_reader &from) {
    declaration read;
    read.component = from.word();
    read.when.period = from.number();
    read.when.offset = from.number();
    read.when.end = from.number();
    for (std::int64_t left = from.number(); left != 0; --left) {
        read.offers.push_back(read_field(from));
    }
    for (std::int64_t left = from.number(); left != 0; --left) {
        declared_want next;
        next.own = read_field(from);
        next.from = from.word();
        next.field = from.word();
        next.how = static_cast<over_time>(from.number());
        next.lag = from.number();
        next.every = from.number();
        next.regrids = from.number() != 0;
        next.is_iterated = from.number() != 0;
        read.wants.push_back(next);
    }
    return read;
}

} // namespace

std::vector<declaration> read_declarations(const std::string &text) {
    std::vector<declaration> all;
    for (word_reader from{text}; !from.is_at_end();) {
        all.push_back(read_one(from));
    }
    return all;
}

std::vector<matched_want> match(const std::vector<declaration> &all) {
    for (const declaration &each : all) {
        check_steps(each);
        check_offers(each);
    }
    std::vector<matched_want> matched;
    for (std::size_t receiver = 0; receiver != all.size(); ++receiver) {
        for (std::size_t at = 0; at != all[receiver].wants.size(); ++at) {
            const declared_want &wanted = all[receiver].wants[at];
            const std::string who = "\"" + wanted.own.name + "\" of \"" + all[receiver].component + "\"";
            if (wanted.from.empty()) {
                reject(who + " is wanted from nobody: name a component, in the program or in a configuration "
                             "file");
            }
            const std::size_t sender = find(all, &declaration::component, wanted.from);
            if (sender == all.size()) {
                reject(who + " is wanted from \"" + wanted.from +
                       "\", but no component has this name: " + names_of(all, &declaration::component));
            }
            const std::size_t offer = find(all[sender].offers, &declared_field::name, wanted.field);
            if (offer == all[sender].offers.size()) {
                reject(who + " is \"" + wanted.field + "\" of \"" + wanted.from +
                       "\", which does not offer it, but: " +
                       names_of(all[sender].offers, &declared_field::name));
            }
            check_fit(who, wanted, wanted.from, all[sender].offers[offer]);
            check_period(who, wanted, all[receiver]);
            check_iterated(who, wanted, all[receiver].when, all[sender].when);
            matched.push_back({receiver, at, sender, offer});
        }
    }
    return matched;
}

} // namespace lisle::couple::detail
