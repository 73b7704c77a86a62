// SPDX-License-Identifier: Apache-2.0
#include "report/recorder/call.hpp"

#include <algorithm>

namespace lisle::report {

namespace {

std::uint64_t bytes_of(elements what) noexcept {
    MPI_Count size = 0;
    if (what.count <= 0 || what.type == MPI_DATATYPE_NULL ||
        PMPI_Type_size_c(what.type, &size) != MPI_SUCCESS || size <= 0) {
        return 0;
    }
    return static_cast<std::uint64_t>(what.count) * static_cast<std::uint64_t>(size);
}

} // namespace

call::call(std::uint32_t id, const call_site &from) noexcept
    : recorder_{recorder::own()}, thread_{calling_thread::current()}, id_{id}, from_{from} {
    recorded_ = thread_.depth++ == 0 && recorder_.is_on();
    if (recorded_) {
        begin_ = thread_.clock.now();
    }
}

void call::ended() noexcept {
    if (recorded_) {
        end_ = std::max(begin_, thread_.clock.now()); // which may have been set again
        recorder_.lock().lock();
        locked_ = true;
        recorder_.before(id_, from_, begin_);
    }
}

call::~call() {
    --thread_.depth;
    if (locked_) {
        recorder_.write_call(id_, from_, begin_, end_, in_vain_);
        recorder_.lock().unlock();
    }
}

// ---- messages ----

begun call::send(elements what, int to, int tag, MPI_Comm comm) const noexcept {
    begun made{.what = begun::kind::send};
    if (const shared_group &ranks = recorder_.group_of(comm); ranks != nullptr) {
        made.group = ranks->number;
        made.peer = ranks->peer(to);
    }
    made.tag = tag;
    made.bytes = bytes_of(what);
    return made;
}

void call::sends(elements what, int to, int tag, MPI_Comm comm) noexcept {
    if (locked_ && to != MPI_PROC_NULL) {
        begun made = send(what, to, tag, comm);
        recorder_.begin(made);
        recorder_.done(made.number);
    }
}

void call::receives(const MPI_Status &status, MPI_Comm comm) noexcept {
    if (locked_) {
        receives(status, recorder_.group_of(comm));
    }
}

void call::receives(const MPI_Status &status, const shared_group &by) noexcept {
    if (locked_ && by != nullptr && status.MPI_SOURCE != MPI_PROC_NULL) {
        begun made{.what = begun::kind::receive, .group = by->number};
        recorder_.begin(made);
        recorder_.received(made.number, by.get(), status);
    }
}

void call::finds(const MPI_Status &status, MPI_Comm comm) noexcept {
    if (locked_) {
        if (const shared_group &by = recorder_.group_of(comm); by != nullptr) {
            recorder_.found(*by, status);
        }
    }
}

void call::begins_send(MPI_Request request, elements what, int to, int tag, MPI_Comm comm,
                       bool persistent) noexcept {
    if (locked_ && to != MPI_PROC_NULL) {
        begun made = send(what, to, tag, comm);
        made.persistent = persistent;
        if (!persistent) {
            recorder_.begin(made);
        }
        recorder_.keep(request, made);
    }
}

void call::begins_receive(MPI_Request request, const shared_group &by, bool persistent) noexcept {
    if (locked_ && by != nullptr) {
        begun made{.what = begun::kind::receive, .persistent = persistent, .group = by->number, .ranks = by};
        if (!persistent) {
            recorder_.begin(made);
        }
        recorder_.keep(request, made);
    }
}

void call::begins_both(MPI_Request request, elements what, int to, int tag, MPI_Comm comm) noexcept {
    if (locked_) {
        begun made = send(what, to, tag, comm);
        made.both = true;
        made.ranks = recorder_.group_of(comm);
        recorder_.begin(made);
        recorder_.keep(request, made);
    }
}

void call::starts(MPI_Request request) noexcept {
    if (begun *const found = locked_ ? recorder_.find(request) : nullptr) {
        recorder_.begin(*found);
    }
}

// ---- partitioned messages ----

void call::begins_partitioned(MPI_Request request, bool sends, int partitions, elements of_each, int other,
                              int tag, MPI_Comm comm) noexcept {
    if (locked_ && other != MPI_PROC_NULL) {
        begun made = send({of_each.count * partitions, of_each.type}, other, tag, comm);
        made.what = sends ? begun::kind::partitioned_send : begun::kind::partitioned_receive;
        made.persistent = true;
        made.ranks = recorder_.group_of(comm);
        made.partitions = partitions;
        made.which = recorder_.next_partitioned(made);
        recorder_.keep(request, made);
    }
}

void call::marks_ready(MPI_Request request, int first, int last) noexcept {
    if (locked_) {
        recorder_.ready(request, first, last);
    }
}

void call::finds_arrived(MPI_Request request, int partition) noexcept {
    if (locked_) {
        recorder_.arrived(request, partition);
    }
}

// ---- collectives ----

begun call::part(const shared_group &with, collective_shape shape, int root, elements data) const noexcept {
    begun made{.what = begun::kind::collective};
    made.group = with->number;
    made.ranks = with;
    made.shape = shape;
    made.peer = root >= 0 ? with->peer(root) : -1;
    made.bytes = bytes_of(data);
    return made;
}

void call::takes_part(const shared_group &with, collective_shape shape, int root, elements data) noexcept {
    if (locked_ && with != nullptr) {
        begun made = part(with, shape, root, data);
        recorder_.begin(made);
        recorder_.done(made.number);
    }
}

void call::begins_part(MPI_Request request, const shared_group &with, collective_shape shape, int root,
                       elements data, bool persistent) noexcept {
    if (locked_ && with != nullptr) {
        begun made = part(with, shape, root, data);
        made.persistent = persistent;
        if (!persistent) {
            recorder_.begin(made);
        }
        recorder_.keep(request, made);
    }
}

void call::moves(const shared_group &among, int target, elements data) noexcept {
    if (locked_) {
        recorder_.moved(among != nullptr && target >= 0 ? among->peer(target) : -1, bytes_of(data));
    }
}

void call::locks(MPI_Win window, int target, lock_step step) noexcept {
    if (locked_) {
        recorder_.locks(window, target, step);
    }
}

void call::epochs(MPI_Win window, MPI_Group with, epoch_step step, int assertion) noexcept {
    if (locked_) { // without a check the posts are known to have been
        recorder_.epochs(window, with, step, (assertion & MPI_MODE_NOCHECK) == 0);
    }
}

// ---- completion ----

asked_requests::asked_requests(const call &by, int count, const MPI_Request *requests, MPI_Status *theirs)
    : statuses_{theirs} {
    if (!by || count <= 0 || requests == nullptr) {
        return;
    }
    const auto places = static_cast<std::size_t>(count);
    const bool are_few = count <= at_hand;
    if (!are_few) {
        many_.resize(places);
    }
    MPI_Request *const kept = are_few ? few_.data() : many_.data();
    std::copy_n(requests, places, kept);
    requests_ = {kept, places};
    if (theirs == MPI_STATUSES_IGNORE) {
        if (!are_few) {
            many_statuses_.resize(places);
        }
        statuses_ = are_few ? few_statuses_.data() : many_statuses_.data();
    }
}

void asked_requests::done(call &by, int place, int status) const noexcept {
    if (place >= 0 && static_cast<std::size_t>(place) < requests_.size()) {
        by.to().done(requests_[static_cast<std::size_t>(place)], statuses_[status]);
    }
}

void asked_requests::all_done(call &by) const noexcept {
    for (int place = 0; place != static_cast<int>(requests_.size()); ++place) {
        done(by, place, place);
    }
}

void asked_requests::some_done(call &by, int outcount, const int *places) const noexcept {
    for (int at = 0; at < outcount; ++at) {
        done(by, places[at], at);
    }
}

} // namespace lisle::report
