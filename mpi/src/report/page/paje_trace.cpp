// SPDX-License-Identifier: Apache-2.0
#include "report/page/paje_trace.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <set>

#include "report/analysis/activity.hpp"
#include "report/analysis/tally.hpp"
#include "report/page/summary.hpp"

namespace lisle::report {

namespace {

/// The records of the format that a trace uses. Its lines begin with a record's place here.
struct paje {
    enum : int {
        container_type,
        state_type,
        link_type,
        value,
        container,
        container_ends,
        push,
        pop,
        set,
        link_begins,
        link_ends
    };
};

struct definition {
    const char *name;
    const char *fields; ///< names and types, "|" between
};
constexpr std::array definitions{
    definition{"DefineContainerType", "Alias string|Type string|Name string"},
    definition{"DefineStateType", "Alias string|Type string|Name string"},
    definition{"DefineLinkType",
               "Alias string|Type string|StartContainerType string|EndContainerType string|Name string"},
    definition{"DefineEntityValue", "Alias string|Type string|Name string|Color color"},
    definition{"CreateContainer", "Time date|Alias string|Type string|Container string|Name string"},
    definition{"DestroyContainer", "Time date|Type string|Name string"},
    definition{"PushState", "Time date|Type string|Container string|Value string"},
    definition{"PopState", "Time date|Type string|Container string"},
    definition{"SetState", "Time date|Type string|Container string|Value string"},
    definition{"StartLink",
               "Time date|Type string|Container string|Value string|StartContainer string|Key string"},
    definition{"EndLink",
               "Time date|Type string|Container string|Value string|EndContainer string|Key string"},
};

/// Of the states of calls, by activity: red, green, blue.
constexpr std::array<const char *, activities> colours{
    "0.9 0.9 0.9", "0.2 0.5 0.8", "0.9 0.5 0.2", "0.8 0.3 0.3", "0.5 0.3 0.7", "0.3 0.6 0.3", "0.6 0.6 0.6"};

std::string seconds(std::uint64_t nanoseconds) {
    constexpr std::uint64_t second = 1'000'000'000;
    char text[40];
    std::snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, nanoseconds / second, nanoseconds % second);
    return text;
}

/// A name in quotation marks, without those that it may have.
std::string in_quotes(std::string_view name) {
    std::string text{name};
    std::replace(text.begin(), text.end(), '"', '\'');
    return '"' + text + '"';
}

} // namespace

void paje_trace::rank(int number, std::string_view host) {
    const auto [known, is_new] = numbers_.try_emplace(std::string{host}, static_cast<int>(hosts_.size()));
    if (is_new) {
        hosts_.emplace_back(host);
    }
    host_of_.resize(static_cast<std::size_t>(number) + 1);
    host_of_.back() = known->second;
}

void paje_trace::phase(int rank, int level, std::uint64_t time) {
    events_.push_back({time, kind::phase_begins, rank, static_cast<std::uint64_t>(level)});
}

void paje_trace::call(const timed_call &one, std::string_view) {
    const auto id = static_cast<std::uint64_t>(one.id);
    events_.push_back({one.begin, kind::call_begins, one.rank, id});
    events_.push_back({one.end, kind::call_ends, one.rank, id});
}

void paje_trace::message(int from, std::uint64_t begun, int to, std::uint64_t ended) {
    ++messages_;
    events_.push_back({begun, kind::message_begins, from, messages_});
    events_.push_back({std::max(begun, ended), kind::message_ends, to, messages_});
}

void paje_trace::define_types() {
    for (std::size_t i = 0; i < definitions.size(); ++i) {
        to_ << "%EventDef Paje" << definitions[i].name << ' ' << i << "\n% ";
        for (const char *at = definitions[i].fields; *at != '\0'; ++at) {
            to_ << (*at == '|' ? std::string{"\n% "} : std::string(1, *at));
        }
        to_ << "\n%EndEventDef\n";
    }
    to_ << paje::container_type << " job 0 \"job\"\n"
        << paje::container_type << " host job \"host\"\n"
        << paje::container_type << " rank host \"rank\"\n"
        << paje::state_type << " call rank \"call\"\n"
        << paje::state_type << " phase rank \"phase\"\n"
        << paje::link_type << " message job rank rank \"message\"\n";
}

void paje_trace::define_values() {
    std::set<std::uint64_t> calls;
    std::set<std::uint64_t> levels;
    for (const event &each : events_) {
        if (each.what == kind::call_begins) {
            calls.insert(each.value);
        } else if (each.what == kind::phase_begins) {
            levels.insert(each.value);
        }
    }
    for (const std::uint64_t each : calls) {
        const auto id = static_cast<decltype(timed_call::id)>(each);
        to_ << paje::value << " c" << each << " call " << in_quotes(name_of_call(id)) << " \""
            << colours[static_cast<std::size_t>(activity_of(id))] << "\"\n";
    }
    for (const std::uint64_t each : levels) {
        to_ << paje::value << " p" << each << " phase \"phase " << each << "\" \"0.7 0.8 0.9\"\n";
    }
}

void paje_trace::make_containers() {
    to_ << paje::container << " 0 job job 0 \"job\"\n";
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        to_ << paje::container << " 0 h" << i << " host job " << in_quotes(hosts_[i]) << '\n';
    }
    for (std::size_t i = 0; i < host_of_.size(); ++i) {
        to_ << paje::container << " 0 r" << i << " rank h" << host_of_[i] << " \"rank " << i << "\"\n";
    }
}

void paje_trace::write(const event &one) {
    const std::string at = ' ' + seconds(one.time);
    switch (one.what) {
    case kind::call_begins:
        to_ << paje::push << at << " call r" << one.rank << " c" << one.value << '\n';
        break;
    case kind::call_ends:
        to_ << paje::pop << at << " call r" << one.rank << '\n';
        break;
    case kind::phase_begins:
        to_ << paje::set << at << " phase r" << one.rank << " p" << one.value << '\n';
        break;
    case kind::message_begins:
    case kind::message_ends:
        to_ << (one.what == kind::message_begins ? paje::link_begins : paje::link_ends) << at
            << " message job message r" << one.rank << " m" << one.value << '\n';
        break;
    }
}

bool paje_trace::finish() {
    // Those of one time stay in the order in which they were heard of: a call ends before the next one
    // begins.
    std::stable_sort(events_.begin(), events_.end(),
                     [](const event &one, const event &other) { return one.time < other.time; });
    define_types();
    define_values();
    make_containers();
    for (const event &each : events_) {
        write(each);
    }
    const std::string end = ' ' + seconds(events_.empty() ? 0 : events_.back().time);
    for (std::size_t i = 0; i < host_of_.size(); ++i) {
        to_ << paje::container_ends << end << " rank r" << i << '\n';
    }
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        to_ << paje::container_ends << end << " host h" << i << '\n';
    }
    to_ << paje::container_ends << end << " job job\n" << std::flush;
    return static_cast<bool>(to_);
}

} // namespace lisle::report
