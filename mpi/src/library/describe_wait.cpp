// SPDX-License-Identifier: Apache-2.0
// What a rank that is asked says of its wait, and the end of a job in which all wait for each other. Here
// because it takes parts of all layers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "abi/call_address.hpp"
#include "abi/call_place.hpp"
#include "api/pending_buffers.hpp"
#include "collective/area/collective_area.hpp"
#include "communicator/directory.hpp"
#include "communicator/errhandler.hpp"
#include "communicator/failed_call.hpp"
#include "diagnosis/source_line.hpp"
#include "diagnosis/wait_report.hpp"
#include "fabric/standstill_note.hpp"
#include "library/end_in_deadlock.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"
#include "world/job.hpp"

namespace lisle {

std::string place_of_call() {
    const abi::code_place site = abi::current_call().site;
    return site.file.empty() ? std::string{} : ", at " + source_line(site.file, site.offsets);
}

failed_call failed_call::find() noexcept {
    const abi::call_address found = abi::current_address();
    return {found.site, found.offsets, found.words};
}

std::string failed_call::place() const {
    const abi::code_place found = abi::place_of(abi::call_address{{}, site, offsets, words}).site;
    return found.file.empty() ? std::string{} : source_line(found.file, found.offsets);
}

void end_job_in_deadlock(job &standing, int rank, const std::function<std::string()> &report) noexcept {
    bootstrap &start = standing.start();
    start.report_deadlock(rank); // before the report is made, which takes a while
    // One write, so that nothing mixes with it.
    const std::string text = report();
    std::fwrite(text.data(), 1, text.size(), stderr);
    if (!start.reports_ends()) {
        // The launcher ends all processes when it is told. Others are not to see this one end first: they
        // would speak of a failure.
        constexpr std::chrono::seconds for_the_launcher{1};
        start.abort(rank, deadlock_exit_code, abort_cause::gave_up);
        std::this_thread::sleep_for(for_the_launcher);
    }
    abort_job(standing, rank, deadlock_exit_code);
}

} // namespace lisle

namespace lisle::protocol {

namespace {

int member_or(const group &members, int rank, int otherwise) {
    return rank >= 0 && rank < members.size() ? members.member(rank) : otherwise;
}

/// Turns a rank of the communicator that a context belongs to into a rank of the job.
template <class Number> void translate(std::uint64_t context, Number &rank) {
    communicators->with(context, [&rank](const communicator &comm) {
        rank = member_or(*comm.point_to_point.peers, rank, rank);
    });
}

/// An error of a call on the communicator that a context belongs to ends the job.
bool ends_at_errors(std::uint64_t context) {
    bool ends = false;
    communicators->with(context, [&ends](const communicator &comm) {
        const errhandler_kind action = comm.errors.get()->action;
        ends = action == errhandler_kind::fatal || action == errhandler_kind::abort;
    });
    return ends;
}

wait_note::comm note_of(const communicator &comm, int job_size) {
    const group &members = comm.local_group();
    const context_origin origin = origin_of(comm.context(), job_size);
    wait_note::comm made{};
    made.context = comm.context();
    made.collectives = comm.collectives.load(std::memory_order_relaxed) +
                       comm.persistent_collectives.load(std::memory_order_relaxed);
    if (const auto *const area = collective::collective_area::found(comm)) {
        made.collectives += area->turns().next();
    }
    made.size = members.size();
    made.first = members.size() != 0 ? members.member(0) : 0;
    made.stride = members.stride();
    for (int i = 0; i < std::min(members.size(), wait_note::comm::most_members); ++i) {
        made.members[i] = members.member(i);
    }
    made.owner = static_cast<std::int32_t>(origin.owner);
    made.number = static_cast<std::int32_t>(origin.count);
    wait_note::write(made.name, comm.name());
    made.has_remote_group = comm.inter() ? 1 : 0;
    made.of_session = comm.session != 0 ? 1 : 0;
    return made;
}

/// The operations that the rank has begun and not waited for. @param where it waits
void add_begun(const abi::call_place &where, wait_note &note) {
    for (const auto &each : abi::pending->begun()) {
        const auto &[file, offsets] = each.place.site;
        const bool is_in_words = offsets[0] == 0;
        wait_note::begun_operation made{{},
                                        file == where.site.file ? offsets : call_chain{},
                                        {},
                                        each.about.peer,
                                        each.about.tag,
                                        each.about.what};
        wait_note::write(made.call, each.place.call);
        wait_note::write(made.place, is_in_words ? std::string_view{file} : std::string_view{});
        note.add(made);
    }
}

/// The ranks of other jobs that the process can reach.
void add_met(const other_jobs &others, int first, wait_note &note) {
    wait_note::met_ranks row{};
    for (int number = first; number < others.next(); ++number) {
        const rank_name name = others.name_of(number);
        if (others.find(name) != number) {
            continue; // forgotten since
        }
        const auto job = static_cast<std::int64_t>(name.job);
        if (row.count != 0 && job == row.job && name.number == row.first_rank + row.count &&
            number == row.first_number + row.count) {
            ++row.count;
            continue;
        }
        if (row.count != 0) {
            note.add(row);
        }
        row = {job, static_cast<std::int32_t>(name.number), number, 1};
    }
    if (row.count != 0) {
        note.add(row);
    }
}

} // namespace

void complete_note(rank &self, wait_note &note) {
    const abi::call_place where = abi::current_call();
    wait_note::write(note.call, where.call);
    wait_note::write(note.file, where.site.file);
    note.offsets = where.site.offsets;
    if (abi::pending_buffers::watched()) {
        add_begun(where, note);
    }
    self.tracks().each([&note](engine &each) {
        each.receives().list_unexpected(note);
        note.stored_limit = std::max<std::uint64_t>(note.stored_limit, each.receives().limit_in_force());
    });

    add_met(self.get_job().others(), self.get_job().size(), note);

    std::set<std::uint64_t> named;
    for (unsigned i = 0; i < note.operation_count && i < wait_note::most_operations; ++i) {
        auto &each = note.operations[i];
        named.insert(communicator_directory::base_of(each.context));
        if (each.what == wait_note::sort::receive || each.what == wait_note::sort::probe) {
            translate(each.context, each.peer);
        }
    }
    note.may_fail = std::ranges::all_of(named, ends_at_errors) ? 0 : 1;
    for (unsigned i = 0; i < note.message_count && i < wait_note::most_messages; ++i) {
        named.insert(communicator_directory::base_of(note.messages[i].context));
        translate(note.messages[i].context, note.messages[i].source);
    }
    // Those that are named first, so that there is room for them.
    const int job_size = self.get_job().size();
    for (const std::uint64_t context : named) {
        communicators->with(context, [&](const communicator &comm) { note.add(note_of(comm, job_size)); });
    }
    communicators->each([&](const communicator &comm) {
        if (!named.contains(communicator_directory::base_of(comm.context()))) {
            note.add(note_of(comm, job_size));
        }
    });
}

void end_in_deadlock(rank &self, std::uint32_t question) {
    job &standing = self.get_job();
    end_job_in_deadlock(standing, self.number(), [&] {
        std::string report = deadlock_report(read_waits(standing.waits(), question));
        for (const auto &fabric : self.engine().routes().fabrics()) {
            if (const auto *const note =
                    dynamic_cast<const fabric::standstill_note *>(&fabric->innermost())) {
                report += note->standstill();
            }
        }
        return report;
    });
}

} // namespace lisle::protocol
