// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/rank_record.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "library/watched_time.hpp"
#include "replay/trace/settings.hpp"
#include "report/recorder/left_alone.hpp"

namespace lisle::replay {

namespace {

/// Shorter times between two calls are those of the library itself.
constexpr std::int64_t least_nanoseconds = 2000;

std::int64_t processor_time() noexcept {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

} // namespace

rank_record &rank_record::own() noexcept {
    // Never destroyed: calls may come while the rank ends.
    static rank_record &only =
        *new rank_record; // NOLINT(bugprone-unhandled-exception-at-new): without memory the rank ends
    return only;
}

void rank_record::start() {
    const char *const found = std::getenv(record_folder_variable);
    if (found == nullptr || on_) {
        return;
    }
    folder_ = found;
    report::leave_children_alone(record_folder_variable, recorder_library);
    thread_ = pthread_self();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    const std::string path = folder_ + "/" + record_file + std::to_string(rank_);
    on_ = file_.open(path);
    if (!on_) {
        std::fprintf(stderr, "lisle: --record-trace: cannot write %s: %s; rank %d is not recorded\n",
                     path.c_str(), std::strerror(errno), rank_);
    }
    end_call();
}

void rank_record::finish() {
    if (!on_) {
        return;
    }
    write_looks();
    on_ = false;
    file_.close();
}

bool rank_record::begin_call(std::string_view name) {
    if (!on_) {
        return false;
    }
    if (!is_own_thread()) {
        leave_out("calls of several threads of a rank");
        return false;
    }
    if (inside_) {
        leave_out(std::string{name} + " in a function that MPI calls");
        return false;
    }
    note_passed_time();
    inside_ = true;
    return true;
}

void rank_record::note_passed_time() {
    if (const std::int64_t paused = lisle_watched_time() - last_time_; last_time_ >= 0 && paused > 0) {
        write_between(item::pause, {static_cast<std::uint64_t>(paused)});
    }
    const std::int64_t computed = lisle_watched_computing();
    if (computed > 0) {
        write_between(item::compute, {static_cast<std::uint64_t>(computed)});
    } else if (computed < 0) {
        if (const std::int64_t used = processor_time() - last_processor_; used >= least_nanoseconds) {
            write_between(item::processor, {static_cast<std::uint64_t>(used)});
        }
    }
}

void rank_record::end_call() noexcept {
    if (lisle_watched_program_goes_on() != 0) {
        last_time_ = lisle_watched_time();
    } else {
        last_processor_ = processor_time();
    }
}

void rank_record::write_between(item what, std::initializer_list<std::uint64_t> values) {
    between_.number(static_cast<std::uint64_t>(what));
    for (const std::uint64_t each : values) {
        between_.number(each);
    }
    if (looks_.count == 0) {
        put(between_.bytes());
        between_.clear();
    }
}

void rank_record::write_reading() {
    write_between(item::reading, {});
}

void rank_record::write_compute(std::int64_t cycles) {
    write_between(item::compute, {static_cast<std::uint64_t>(cycles)});
}

void rank_record::write_access(const void *start, std::int64_t bytes, bool writes) {
    write_between(item::access, {reinterpret_cast<std::uintptr_t>(start), static_cast<std::uint64_t>(bytes),
                                 writes ? 1U : 0U});
}

void rank_record::write_looks() {
    if (looks_.count != 0) {
        byte_writer made;
        made.number(static_cast<std::uint64_t>(item::vain));
        made.number(looks_.function);
        made.number(std::exchange(looks_.count, 0));
        made.text(looks_.between);
        made.text(looks_.arguments);
        put(made.bytes());
    }
    put(between_.bytes());
    between_.clear();
}

std::uint64_t rank_record::number_of(std::string_view function) {
    const auto [at, is_new] = functions_.try_emplace(function, functions_.size());
    if (is_new) {
        write_looks();
        byte_writer made;
        made.number(static_cast<std::uint64_t>(item::function));
        made.text(function);
        put(made.bytes());
    }
    return at->second;
}

std::size_t rank_record::place_of_arguments(std::string_view function, std::size_t bytes) {
    write_looks();
    byte_writer head;
    head.number(static_cast<std::uint64_t>(item::call) + number_of(function));
    head.number(bytes);
    return file_.position() + head.bytes().size();
}

void rank_record::write_call(std::string_view function, std::string_view arguments) {
    const std::uint64_t number = number_of(function);
    write_looks();
    byte_writer made;
    made.number(static_cast<std::uint64_t>(item::call) + number);
    made.text(arguments);
    put(made.bytes());
}

// A loop of looks between which the program always does the same is one look: a replay makes as many of them
// as its machine takes.
void rank_record::write_look(std::string_view function, bool found, const std::string &arguments,
                             std::string_view outcome) {
    const std::uint64_t number = number_of(function);
    const bool goes_on = looks_.count != 0 && looks_.function == number && looks_.arguments == arguments &&
                         (looks_.count == 1 || looks_.between == between_.bytes());
    if (!goes_on) {
        write_looks();
        looks_ = {number, 0, arguments, {}};
    } else {
        looks_.between = between_.bytes();
        between_.clear();
    }
    if (!found) {
        ++looks_.count;
        return;
    }
    byte_writer made;
    made.number(static_cast<std::uint64_t>(item::look));
    made.number(number);
    made.number(std::exchange(looks_.count, 0));
    made.text(looks_.between);
    made.text(arguments);
    made.text(outcome);
    put(made.bytes());
}

void rank_record::leave_out(std::string_view name) {
    const std::scoped_lock guard{left_out_lock_};
    if (!left_out_.contains(name)) {
        left_out_.emplace(name);
        // At once: the rank may not come to its end.
        std::ofstream{folder_ + "/" + left_out_file + std::to_string(rank_), std::ios::app} << name << '\n';
    }
}

void rank_record::fill_in(const known_request &receive, const MPI_Status &met) noexcept {
    if (receive.source_at) {
        file_.replace(*receive.source_at, byte_writer::wide(met.MPI_SOURCE));
    }
    if (receive.tag_at) {
        file_.replace(*receive.tag_at, byte_writer::wide(met.MPI_TAG));
    }
}

void rank_record::put(std::string_view bytes) {
    if (!on_ || bytes.empty()) {
        return;
    }
    if (!file_.has_room(bytes.size())) {
        on_ = false;
        std::fprintf(stderr,
                     "lisle: --record-trace: there is no room for more of rank %d's record; it ends here\n",
                     rank_);
        return;
    }
    std::memcpy(file_.next(), bytes.data(), bytes.size());
    file_.written_until(file_.next() + bytes.size());
}

} // namespace lisle::replay
