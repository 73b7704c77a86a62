// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/recorder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "abi/call_place.hpp"
#include "base/status_fields.hpp"
#include "library/watched_time.hpp"
#include "report/recorder/left_alone.hpp"
#include "report/recorder/neighbours.hpp"
#include "report/trace/settings.hpp"

namespace lisle::report {

namespace {

/// Calls in vain that follow each other so soon are one wait; so are those between which the thread did not
/// run.
constexpr std::uint64_t soon = 20'000;
/// So are those whose longer pauses are together no more than this part of the wait: an interrupt or another
/// virtual machine may hold a thread up without its having stopped.
constexpr std::uint64_t small_part = 50;
constexpr std::size_t most_text = 400;
/// How long a rank does not look at its memory at least, in ns.
constexpr std::uint64_t between_looks = 50'000'000;
/// Instead of a site's number.
constexpr std::uint32_t in_binding = ~std::uint32_t{0};

std::uint64_t digest(const std::vector<int> &numbers, std::uint64_t begin) noexcept {
    std::uint64_t sum = begin;
    for (const int each : numbers) {
        sum = (sum ^ static_cast<std::uint32_t>(each)) * 0x100000001b3;
        sum ^= sum >> 29;
    }
    return sum;
}

std::vector<int> ranks_of_job(MPI_Group group, MPI_Group job) {
    int size = 0;
    PMPI_Group_size(group, &size);
    std::vector<int> own(static_cast<std::size_t>(size)), there(own.size(), -1);
    for (int rank = 0; rank != size; ++rank) {
        own[static_cast<std::size_t>(rank)] = rank;
    }
    if (size != 0) {
        PMPI_Group_translate_ranks(group, size, own.data(), job, there.data());
    }
    std::ranges::replace(there, MPI_UNDEFINED, -1);
    return there;
}

/// How often this thread has stopped running.
long stops() noexcept {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nvcsw + used.ru_nivcsw;
}

} // namespace

recorder &recorder::own() noexcept {
    // Never destroyed: calls may come while the rank ends.
    static recorder &only =
        *new recorder; // NOLINT(bugprone-unhandled-exception-at-new): without memory the rank ends
    return only;
}

void recorder::start(std::uint64_t begin, bool of_world) noexcept {
    const char *const found = std::getenv(folder_variable);
    if (found == nullptr || on_) {
        return;
    }
    const std::string folder{found};
    leave_children_alone(folder_variable, recorder_library);
    setenv(parent_folder_variable, folder.c_str(), 1); // jobs that the rank spawns have records of their own
    int rank = 0, size = 0;
    if (of_world) {
        PMPI_Comm_group(MPI_COMM_WORLD, &job_);
    } else if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session_) == MPI_SUCCESS) {
        PMPI_Group_from_session_pset(session_, "mpi://WORLD", &job_);
    }
    PMPI_Group_rank(job_, &rank);
    PMPI_Group_size(job_, &size);
    trace_head head;
    head.rank = rank;
    head.size = size;
    head.process = static_cast<std::uint32_t>(getpid());
    head.begin = begin_ = last_begin_ = begin;
    gethostname(head.host.data(), head.host.size() - 1);
    const std::string path = folder + "/" + file_of_rank(rank);
    on_ = file_.open(path, head.bytes());
    if (on_) {
        if (lisle_watched_is_simulated() == 0) {
            tick_clock::use_counter();
            memory_.begin(); // on a modelled machine it is the host's, and looking costs simulated time
        }
    } else {
        std::fprintf(stderr, "lisle: --report: cannot write %s: %s; rank %d is not recorded\n", path.c_str(),
                     std::strerror(errno), rank);
    }
}

void recorder::let_go() noexcept {
    if (on_) {
        const std::scoped_lock guard{lock_};
        write_memory(now());
        memory_.end();
    }
    if (job_ != MPI_GROUP_NULL) {
        PMPI_Group_free(&job_);
    }
    if (session_ != MPI_SESSION_NULL) {
        PMPI_Session_finalize(&session_);
    }
}

void recorder::finish() noexcept {
    if (!on_) {
        return;
    }
    write_polls();
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    write(record::last, now() - begin_, static_cast<std::uint64_t>(used.ru_maxrss) * 1024);
    on_ = false;
    file_.close();
}

void recorder::give_up() noexcept {
    on_ = false;
    std::fprintf(stderr, "lisle: --report: there is no room for more of the record; it ends here\n");
}

template <class... Numbers> void recorder::write(record what, Numbers... numbers) noexcept {
    if (!on_) {
        return;
    }
    if (!file_.has_room((sizeof...(numbers) + 1) * packer::most_bytes)) {
        give_up();
        return;
    }
    packer into{file_.next()};
    into.number(static_cast<std::uint64_t>(what));
    (into.number(static_cast<std::uint64_t>(numbers)), ...);
    file_.written_until(into.end());
}

// ---- calls ----

std::uint32_t recorder::new_site(const void *site, const void *outer, bool &leads_to_program) noexcept {
    std::array<char, most_text> text{};
    leads_to_program = lisle_call_place(site, outer, text.data(), static_cast<int>(text.size())) != 0;
    if (!leads_to_program) {
        return in_binding;
    }
    const std::string_view line{text.data()};
    if (on_ && file_.has_room(line.size() + 2 * packer::most_bytes)) {
        file_.written_until(
            packer{file_.next()}.number(static_cast<std::uint64_t>(record::site)).text(line).end());
    }
    return site_count_++;
}

// Lisle's Fortran procedures are linked into programs, and compiled so that they keep their frames: the
// program's call is the one to them.
std::uint32_t recorder::find_site(const call_site &from) noexcept {
    bool leads_to_program = true;
    const auto known = sites_.find(from.returns_to);
    const std::uint32_t site =
        known != sites_.end() ? known->second : new_site(from.returns_to, nullptr, leads_to_program);
    if (known == sites_.end()) {
        sites_.emplace(from.returns_to, site);
    }
    if (site != in_binding) {
        latest_sites_[place_of(from.returns_to)] = {from.returns_to, site};
        return site;
    }
    const auto *const frame_of_binding = static_cast<const void *const *>(*from.frame);
    const void *const outer = frame_of_binding[1];
    const auto found = sites_.find(outer);
    return found != sites_.end()
               ? found->second
               : sites_.emplace(outer, new_site(from.returns_to, outer, leads_to_program)).first->second;
}

void recorder::write_row(const polls &calls) noexcept {
    const auto since = static_cast<std::int64_t>(calls.begin - last_begin_);
    last_begin_ = calls.begin;
    if (!on_ || !file_.has_room(8 * packer::most_bytes)) {
        on_ ? give_up() : void();
        return;
    }
    packer into{file_.next()};
    into.number(static_cast<std::uint64_t>(record::call))
        .number(calls.id)
        .number(calls.site)
        .signed_number(since);
    into.number(calls.end - calls.begin).number(calls.count - 1);
    if (calls.count > 1) {
        into.number(calls.inside);
    }
    file_.written_until(into.end());
}

void recorder::write_memory(std::uint64_t time) noexcept {
    if (!memory_.has_begun()) {
        return;
    }
    const memory_sample seen = memory_.look();
    write(record::memory, time - begin_, seen.resident, seen.unexpected, seen.stored);
    next_look_ = time + between_looks;
}

void recorder::write_polls() noexcept {
    if (put_off_.count != 0) {
        write_row(put_off_);
        put_off_.count = 0;
    }
}

void recorder::before(std::uint32_t id, const call_site &from, std::uint64_t begin) noexcept {
    if (put_off_.count == 0) {
        return;
    }
    bool goes_on = put_off_.id == id && put_off_.site == site_of(from);
    const std::uint64_t pause = begin - put_off_.end;
    if (goes_on && pause >= soon && stops() == std::exchange(put_off_.stops, stops())) {
        put_off_.pauses += pause;
        goes_on = put_off_.pauses <= (begin - put_off_.begin) / small_part;
    }
    if (goes_on) {
        put_off_.inside += pause;
    } else {
        write_polls();
    }
}

void recorder::write_call(std::uint32_t id, const call_site &from, std::uint64_t begin, std::uint64_t end,
                          bool in_vain) noexcept {
    if (end >= next_look_) {
        write_memory(end);
    }
    polls calls{id, site_of(from), begin, end, end - begin, 1, 0};
    if (put_off_.count != 0) {
        calls.stops = put_off_.stops;
        calls.begin = put_off_.begin;
        calls.pauses = put_off_.pauses;
        calls.inside += put_off_.inside;
        calls.count += put_off_.count;
        put_off_.count = 0;
    }
    if (in_vain) {
        calls.stops = calls.count == 1 ? stops() : calls.stops;
        put_off_ = calls;
    } else {
        write_row(calls);
    }
}

// ---- operations ----

void recorder::begin(begun &what) noexcept {
    what.active = true;
    what.number = operations_++;
    switch (what.what) {
    case begun::kind::send:
        write(record::send, what.group, what.peer + 1, packer::folded(what.tag), what.bytes);
        break;
    case begun::kind::receive:
        write(record::receive, what.group);
        break;
    case begun::kind::collective:
        write(record::collective, what.group, what.shape, what.peer + 1, what.bytes);
        break;
    case begun::kind::partitioned_send:
    case begun::kind::partitioned_receive:
        write(what.what == begun::kind::partitioned_send ? record::partitioned_send
                                                         : record::partitioned_receive,
              what.group, what.peer + 1, packer::folded(what.tag), what.which, what.round++, what.partitions,
              what.bytes);
        break;
    }
    if (what.both) {
        ++operations_;
        write(record::receive, what.group);
    }
}

void recorder::keep(MPI_Request request, const begun &what) noexcept {
    if (request == MPI_REQUEST_NULL) {
        return;
    }
    if (spare_.empty()) {
        requests_.insert_or_assign(request, what);
        return;
    }
    spare_.key() = request;
    spare_.mapped() = what;
    if (auto kept = requests_.insert(std::move(spare_)); !kept.inserted) {
        kept.position->second = what;
        spare_ = std::move(kept.node);
    }
}

begun *recorder::find(MPI_Request request) noexcept {
    const auto found = requests_.find(request);
    return found == requests_.end() ? nullptr : &found->second;
}

void recorder::done(std::uint64_t number) noexcept {
    write(record::done, operations_ - number);
}

void recorder::received(std::uint64_t number, const rank_group *by, const MPI_Status &status) noexcept {
    if (cancelled_in(status) || status.MPI_SOURCE < 0) {
        write(record::dropped, operations_ - number);
        return;
    }
    write(record::received, operations_ - number, (by != nullptr ? by->peer(status.MPI_SOURCE) : -1) + 1,
          packer::folded(status.MPI_TAG), size_in(status));
}

void recorder::done(MPI_Request handle, const MPI_Status &status) noexcept {
    const auto found = requests_.find(handle);
    if (found == requests_.end()) {
        return;
    }
    begun &what = found->second;
    if (what.active) {
        if (what.what == begun::kind::receive || what.both) {
            received(what.number + (what.both ? 1 : 0), what.ranks.get(), status);
        }
        if (what.what != begun::kind::receive) {
            done(what.number);
        }
        what.active = false;
    }
    if (!what.persistent) {
        spare_ = requests_.extract(found);
    }
}

void recorder::dropped(MPI_Request handle) noexcept {
    const auto found = requests_.find(handle);
    if (found != requests_.end()) {
        if (found->second.active) {
            // A send that nobody waits for arrives all the same.
            found->second.what == begun::kind::send
                ? done(found->second.number)
                : write(record::dropped, operations_ - found->second.number);
        }
        requests_.erase(found);
    }
}

void recorder::ready(MPI_Request request, int first, int last) noexcept {
    if (const begun *const send = find(request); send != nullptr && send->active) {
        write(record::ready, operations_ - send->number, first, last);
    }
}

void recorder::arrived(MPI_Request request, int partition) noexcept {
    if (const begun *const receive = find(request); receive != nullptr && receive->active) {
        write(record::arrived, operations_ - receive->number, partition);
    }
}

void recorder::moved(int peer, std::uint64_t bytes) noexcept {
    write(record::moved, peer + 1, bytes);
}

void recorder::found(const rank_group &by, const MPI_Status &status) noexcept {
    if (status.MPI_SOURCE >= 0) {
        write(record::found, by.number, by.peer(status.MPI_SOURCE) + 1, packer::folded(status.MPI_TAG));
    }
}

void recorder::locks(MPI_Win window, int target, lock_step step) noexcept {
    if (const auto found = windows_.find(window); found != windows_.end()) {
        const rank_group &ranks = *found->second.ranks;
        write(record::lock, ranks.number, found->second.which, target < 0 ? 0 : ranks.peer(target) + 1, step);
    }
}

void recorder::epochs(MPI_Win window, MPI_Group with, epoch_step step, bool signals) noexcept {
    const auto found = windows_.find(window);
    if (found == windows_.end()) {
        return;
    }
    known_window &of = found->second;
    const bool of_origins = step == epoch_step::post || step == epoch_step::wait;
    std::vector<int> &others = of_origins ? of.origins : of.targets;
    if (with != MPI_GROUP_NULL) {
        others = ranks_of_job(with, job_);
    }
    const int tag = signal_tag(of.which, step == epoch_step::post || step == epoch_step::start);
    for (const int peer : others) {
        if (signals && peer >= 0) {
            signal(of.ranks->number, peer, tag, step == epoch_step::post || step == epoch_step::complete);
        }
    }
    if (with == MPI_GROUP_NULL) {
        others.clear();
    }
}

void recorder::signal(std::uint32_t group, int peer, int tag, bool sends) noexcept {
    begun made{
        .what = sends ? begun::kind::send : begun::kind::receive, .group = group, .peer = peer, .tag = tag};
    begin(made);
    if (sends) {
        done(made.number);
    } else {
        write(record::received, operations_ - made.number, peer + 1, packer::folded(tag), 0U);
    }
}

void recorder::phase(int level) noexcept {
    write(record::phase, packer::folded(level), now() - begin_);
}

// ---- groups ----

shared_group recorder::make_group(MPI_Comm comm) noexcept {
    int is_inter = 0;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_test_inter(comm, &is_inter);
    PMPI_Comm_group(comm, &group);
    std::vector<int> members = ranks_of_job(group, job_);
    PMPI_Group_free(&group);
    std::uint64_t sum = digest(members, 0xcbf29ce484222325);
    auto made = std::make_shared<rank_group>(rank_group{group_count_++, members});
    if (is_inter != 0) {
        PMPI_Comm_remote_group(comm, &group);
        made->peers = ranks_of_job(group, job_);
        PMPI_Group_free(&group);
        sum += digest(made->peers, 0xcbf29ce484222325); // the same at both sides
        members.insert(members.end(), made->peers.begin(), made->peers.end());
    }
    // Members make communicators of the same ranks in the same order.
    const std::uint64_t number = digest({static_cast<int>(same_groups_[sum]++)}, sum);
    write_group(record::group, {number}, members);
    if (const auto [sources, destinations] = neighbours_of(comm); !sources.empty() || destinations != 0) {
        made->destinations = destinations;
        std::vector<int> of_job(sources.size());
        std::ranges::transform(sources, of_job.begin(), [&](int rank) { return made->peer(rank); });
        write_group(record::neighbours, {}, of_job);
    }
    return made;
}

void recorder::write_group(record what, std::initializer_list<std::uint64_t> first,
                           const std::vector<int> &ranks) noexcept {
    if (!on_) {
        return;
    }
    if (!file_.has_room((ranks.size() + first.size() + 2) * packer::most_bytes)) {
        give_up();
        return;
    }
    packer into{file_.next()};
    into.number(static_cast<std::uint64_t>(what));
    for (const std::uint64_t each : first) {
        into.number(each);
    }
    into.number(ranks.size());
    for (const int each : ranks) {
        into.number(static_cast<std::uint64_t>(std::int64_t{each} + 1));
    }
    file_.written_until(into.end());
}

// Members make windows of a communicator in the same order.
void recorder::note(MPI_Win made, MPI_Comm of) noexcept {
    if (const shared_group &ranks = group_of(of); ranks != nullptr) {
        windows_.insert_or_assign(made, known_window{ranks, windows_made_[ranks->number]++});
    }
}

const shared_group &recorder::find_group(MPI_Comm comm) noexcept {
    if (!on_ || comm == MPI_COMM_NULL || job_ == MPI_GROUP_NULL) {
        return no_group;
    }
    const auto found = groups_.find(comm);
    const shared_group &group =
        found != groups_.end() ? found->second : groups_.emplace(comm, make_group(comm)).first->second;
    latest_ = {comm, &group};
    return group;
}

} // namespace lisle::report
