// SPDX-License-Identifier: Apache-2.0
#include "report/page/event_trace.hpp"

#include <array>

#include "report/analysis/activity.hpp"
#include "report/analysis/tally.hpp"
#include "report/page/json.hpp"
#include "report/page/summary.hpp"

namespace lisle::report {

namespace {

/// By activity, for colours and filters.
constexpr std::array<const char *, activities> categories{"computing", "messages", "collective", "completion",
                                                          "one-sided", "file",     "other"};

} // namespace

event_trace::event_trace(std::ostream &to) : to_{to} {
    to_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

void event_trace::rank(int number, std::string_view host) {
    const auto [known, is_new] = hosts_.try_emplace(std::string{host}, static_cast<int>(hosts_.size()) + 1);
    if (is_new) {
        name_of("process_name", known->second, 0, host);
    }
    host_of_.resize(static_cast<std::size_t>(number) + 1);
    host_of_.back() = known->second;
    name_of("thread_name", known->second, number, "rank " + std::to_string(number));
}

void event_trace::phase(int rank, int level, std::uint64_t time) {
    json event = begin("i", "phase " + std::to_string(level), rank, time);
    event.key("s").value("t");
    write(event);
}

void event_trace::call(const timed_call &one, std::string_view place) {
    json event = begin("X", name_of_call(one.id), one.rank, one.begin);
    event.key("cat").value(categories[static_cast<std::size_t>(activity_of(one.id))]);
    event.key("dur").microseconds(one.end - one.begin).key("args").begin_object().key("at").value(place);
    if (one.bytes != 0) {
        event.key("bytes").value(one.bytes);
    }
    if (one.count > 1) {
        event.key("calls").value(one.count);
    }
    if (one.waits_for >= 0) {
        event.key("waits for rank").value(one.waits_for).key("waiting ns").value(one.wait);
    }
    event.end_object();
    write(event);
}

void event_trace::message(int from, std::uint64_t begun, int to, std::uint64_t ended) {
    ++messages_;
    json sent = begin("s", "message", from, begun);
    sent.key("cat").value("messages").key("id").value(messages_);
    write(sent);
    json received = begin("f", "message", to, ended);
    received.key("cat").value("messages").key("id").value(messages_).key("bp").value("e");
    write(received);
}

bool event_trace::finish() {
    to_ << "\n]}\n" << std::flush;
    return static_cast<bool>(to_);
}

json event_trace::begin(const char *kind, std::string_view name, int rank, std::uint64_t time) const {
    json event;
    event.begin_object().key("ph").value(kind).key("name").value(name);
    event.key("pid").value(host_of_[static_cast<std::size_t>(rank)]).key("tid").value(rank);
    event.key("ts").microseconds(time);
    return event;
}

void event_trace::name_of(const char *what, int host, int rank, std::string_view name) {
    json event;
    event.begin_object().key("ph").value("M").key("name").value(what).key("pid").value(host);
    event.key("tid").value(rank).key("args").begin_object().key("name").value(name).end_object();
    write(event);
}

void event_trace::write(json &event) {
    event.end_object();
    to_ << (first_ ? "\n" : ",\n") << event.text();
    first_ = false;
}

} // namespace lisle::report
