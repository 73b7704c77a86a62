// SPDX-License-Identifier: Apache-2.0
// Every call that makes a request, in every way in which a request can end: freed at once, started twice,
// with nobody as its peer, cancelled, its communicator freed first. Afterwards everything works as before,
// and nothing is left: with LISLE_CHECK the handles are counted, with "grows" as argument the memory.
//
// Use: requests [grows]
#include "../file/file.hpp"
#include "constructors.hpp"

#include <array>
#include <malloc.h>
#include <memory>
#include <string>

int place::query(void *, MPI_Status *status) {
    CHECK_MPI(MPI_Status_set_elements(status, MPI_BYTE, 0));
    CHECK_MPI(MPI_Status_set_cancelled(status, 0));
    return MPI_SUCCESS;
}
int place::release(void *) {
    return MPI_SUCCESS;
}
int place::cancel(void *, int) {
    return MPI_SUCCESS;
}

namespace {

constexpr int elements = place::partitions * place::count;
const char *now = ""; // what is being tried

bool receives(const constructor &which) {
    return which.role == part::receives || which.role == part::both || which.role == part::receives_matched;
}

bool partitioned(const constructor &which) {
    return which.role == part::sends_partitions || which.role == part::receives_partitions;
}

/// Files, windows and sessions are the same for all cases.
class surroundings {
  public:
    explicit surroundings(const check::job &whole) : job{whole} {
        CHECK_MPI(
            MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &win));
        CHECK_MPI(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        CHECK_MPI(MPI_Win_lock_all(0, win));
        CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        CHECK_MPI(MPI_File_open(MPI_COMM_WORLD, scratch_name("requests").c_str(),
                                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                                &file));
        const int periodic = 1;
        CHECK_MPI(MPI_Cart_create(MPI_COMM_WORLD, 1, &job.size, &periodic, 0, &grid));
        CHECK_MPI(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0));
    }
    ~surroundings() {
        void *none = nullptr;
        int size = 0;
        CHECK_MPI(MPI_Buffer_detach(static_cast<void *>(&none), &size));
        CHECK_MPI(MPI_Comm_free(&grid));
        CHECK_MPI(MPI_File_close(&file));
        CHECK_MPI(MPI_Session_finalize(&session));
        CHECK_MPI(MPI_Win_unlock_all(win));
        CHECK_MPI(MPI_Win_free(&win));
    }
    surroundings(const surroundings &) = delete;
    surroundings &operator=(const surroundings &) = delete;

    const check::job &job;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Session session = MPI_SESSION_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Comm grid = MPI_COMM_NULL;

    /// For operations whose requests have been freed, for as long as they can take.
    void keep(place &&used) const { kept_[next_++ % kept_.size()] = std::move(used); }

  private:
    mutable std::array<place, 32> kept_;
    mutable std::size_t next_ = 0;
    void *memory_ = nullptr;
};

/// One case: arguments, the request, and the other side of its messages.
class trial {
  public:
    trial(const constructor &which, const surroundings &around, bool with_peer = true)
        : which_{which}, around_{around}, job_{around.job} {
        at.file = around.file;
        at.win = around.win;
        at.session = around.session;
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &at.comm));
        CHECK_MPI(MPI_Comm_dup(around.grid, &at.grid));
        if (with_peer) {
            at.dest = (job_.rank + 1) % job_.size;
            at.source = (job_.rank + job_.size - 1) % job_.size;
        }
        const auto ranks = static_cast<std::size_t>(job_.size) + 2; // and the neighbours of a single one
        at.tag = 5;
        at.offset = 64 * job_.rank;
        at.sent.assign(ranks * elements, job_.rank);
        at.received.assign(ranks * elements, -1);
        at.both.assign(ranks * elements, job_.rank);
        other_.assign(elements, -1);
        for (std::size_t i = 0; i < ranks; ++i) {
            at.counts.push_back(place::count);
            at.displs.push_back(place::count * static_cast<int>(i));
            at.byte_displs.push_back(at.displs.back() * static_cast<int>(sizeof(int)));
            at.types.push_back(MPI_INT);
        }
        at.large_counts.assign(at.counts.begin(), at.counts.end());
        at.large_displs.assign(at.displs.begin(), at.displs.end());
        at.large_byte_displs.assign(at.byte_displs.begin(), at.byte_displs.end());
    }
    ~trial() {
        CHECK(request == MPI_REQUEST_NULL);
        CHECK_MPI(MPI_Win_flush_all(at.win));
        if (opposite_ != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Request_free(&opposite_));
        for (MPI_Comm *comm : {&at.made, &at.grid, &at.comm})
            if (*comm != MPI_COMM_NULL)
                CHECK_MPI(MPI_Comm_disconnect(comm)); // waits for what was freed early
        if (which_.collective || !which_.of_comm)     // nothing waits for those
            around_.keep(std::move(at));
    }
    trial(const trial &) = delete;
    trial &operator=(const trial &) = delete;

    void make() {
        if (which_.role == part::receives_matched) {
            if (at.source != MPI_PROC_NULL)
                CHECK_MPI(
                    MPI_Isend(at.sent.data(), place::count, MPI_INT, at.dest, at.tag, at.comm, &opposite_));
            CHECK_MPI(MPI_Mprobe(at.source, at.tag, at.comm, &at.message, MPI_STATUS_IGNORE));
        }
        CHECK_MPI(which_.make(at, &request));
        if (std::string{which_.name} == "MPI_Grequest_start")
            CHECK_MPI(MPI_Grequest_complete(request));
    }
    /// Inits of partitioned messages are matched, even if no message follows.
    void pair() {
        if (opposite_ == MPI_REQUEST_NULL && which_.role == part::sends_partitions)
            CHECK_MPI(MPI_Precv_init(other_.data(), place::partitions, place::count, MPI_INT, at.source,
                                     at.tag, at.comm, MPI_INFO_NULL, &opposite_));
        if (opposite_ == MPI_REQUEST_NULL && which_.role == part::receives_partitions)
            CHECK_MPI(MPI_Psend_init(at.sent.data(), place::partitions, place::count, MPI_INT, at.dest,
                                     at.tag, at.comm, MPI_INFO_NULL, &opposite_));
    }
    /// What other ranks must have done when the operation begins.
    void prepare() {
        if (which_.role == part::sends)
            CHECK_MPI(
                MPI_Irecv(other_.data(), place::count, MPI_INT, at.source, at.tag, at.comm, &opposite_));
        if (which_.ready)
            CHECK_MPI(MPI_Barrier(at.comm));
        if (partitioned(which_)) {
            pair();
            CHECK_MPI(MPI_Start(&opposite_));
        }
    }
    /// What they do once it is under way.
    void follow() {
        if (which_.role == part::receives)
            CHECK_MPI(MPI_Isend(at.sent.data(), place::count, MPI_INT, at.dest, at.tag, at.comm, &opposite_));
        mark_ready();
    }
    void mark_ready() {
        if (which_.role == part::sends_partitions)
            CHECK_MPI(MPI_Pready_range(0, place::partitions - 1, request));
        if (which_.role == part::receives_partitions && opposite_ != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Pready_range(0, place::partitions - 1, opposite_));
    }
    void start() {
        if (which_.persistent)
            CHECK_MPI(MPI_Start(&request));
    }
    void finish() {
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        finish_opposite();
    }
    void finish_opposite() {
        CHECK_MPI(MPI_Wait(&opposite_, MPI_STATUS_IGNORE));
        if (which_.role == part::sends || which_.role == part::sends_partitions)
            expect_from_source(other_, partitioned(which_) ? elements : place::count);
    }
    void expect_from_source(const std::vector<int> &data, int count) const {
        for (int i = 0; i < count; ++i)
            if (data[static_cast<std::size_t>(i)] != at.source)
                check::fail(__FILE__, __LINE__, std::string{now} + ": not what was sent");
    }
    void free() {
        if (request != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Request_free(&request));
    }
    /// Where a message was withdrawn, its receiver withdraws as well.
    void withdraw_opposite(bool cancelled) {
        int mine = cancelled ? 1 : 0;
        int theirs = 0;
        CHECK_MPI(MPI_Sendrecv(&mine, 1, MPI_INT, at.dest, 6, &theirs, 1, MPI_INT, at.source, 6, at.comm,
                               MPI_STATUS_IGNORE));
        if (theirs == 0 || opposite_ == MPI_REQUEST_NULL) {
            finish_opposite();
            return;
        }
        CHECK_MPI(MPI_Cancel(&opposite_));
        CHECK_MPI(MPI_Wait(&opposite_, MPI_STATUS_IGNORE));
    }

    place at;
    MPI_Request request = MPI_REQUEST_NULL;

  private:
    const constructor &which_;
    const surroundings &around_;
    const check::job &job_;
    MPI_Request opposite_ = MPI_REQUEST_NULL;
    std::vector<int> other_;
};

void plain(const constructor &which, const surroundings &around) {
    trial one{which, around};
    if (which.persistent)
        one.make();
    for (int round = 0; round < (which.persistent ? 2 : 1); ++round) {
        one.prepare();
        if (!which.persistent)
            one.make();
        one.start();
        if (which.persistent)
            CHECK_ERROR(MPI_ERR_REQUEST, MPI_Start(&one.request)); // before it is complete
        one.follow();
        one.finish();
        if (receives(which) || which.role == part::receives_partitions)
            one.expect_from_source(
                std::string{which.name}.find("replace") != std::string::npos ? one.at.both : one.at.received,
                place::count);
    }
    one.free();
}

/// A request that was never started, or one whose operation is under way. Where that is not allowed it stays.
void freed_at_once(const constructor &which, const surroundings &around) {
    if (which.persistent) {
        trial unused{which, around};
        unused.make();
        unused.pair();
        unused.free();
    }
    trial one{which, around};
    one.prepare();
    one.make();
    one.start();
    one.mark_ready();
    const int code = MPI_Request_free(&one.request);
    CHECK(code == MPI_SUCCESS || check::error_class(code) == MPI_ERR_REQUEST);
    CHECK((one.request == MPI_REQUEST_NULL) == (code == MPI_SUCCESS));
    if (which.role == part::receives)
        one.follow();
    one.finish();
    one.free();
    CHECK_MPI(MPI_Barrier(one.at.comm));
}

void to_nobody(const constructor &which, const surroundings &around) {
    if (!which.has_peer)
        return;
    trial one{which, around, false};
    one.make();
    for (int round = 0; round < (which.persistent ? 2 : 1); ++round) {
        one.start();
        if (which.role == part::sends_partitions)
            one.mark_ready();
        if (which.role == part::receives_partitions) {
            int flag = 0;
            CHECK_MPI(MPI_Parrived(one.request, 1, &flag));
            CHECK_EQ(flag, 1);
        }
        MPI_Status status;
        CHECK_MPI(MPI_Wait(&one.request, &status));
        if (receives(which) || which.role == part::receives_partitions) {
            int count = -1;
            CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
            CHECK_EQ(count, 0);
            CHECK_EQ(status.MPI_SOURCE, static_cast<int>(MPI_PROC_NULL));
            CHECK_EQ(status.MPI_TAG, static_cast<int>(MPI_ANY_TAG));
        }
    }
    one.free();
    CHECK_EQ(one.at.received.front(), -1);
}

/// Once more afterwards: a cancelled operation leaves a persistent request as it was.
void cancelled(const constructor &which, const surroundings &around) {
    trial one{which, around};
    if (which.persistent)
        one.make();
    one.prepare();
    if (!which.persistent)
        one.make();
    one.start();
    const int code = MPI_Cancel(&one.request);
    CHECK(code == MPI_SUCCESS || check::error_class(code) == MPI_ERR_REQUEST);
    if (which.role != part::receives)
        one.follow();
    MPI_Status status;
    CHECK_MPI(MPI_Wait(&one.request, &status));
    int withdrawn = 0;
    CHECK_MPI(MPI_Test_cancelled(&status, &withdrawn));
    if (which.role == part::receives)
        CHECK_EQ(withdrawn, 1);
    if (which.role == part::none || which.role == part::both || partitioned(which))
        CHECK_EQ(withdrawn, 0);
    if (which.role == part::sends)
        one.withdraw_opposite(withdrawn != 0);
    else if (which.role != part::receives)
        one.finish();
    CHECK_MPI(MPI_Barrier(one.at.comm)); // nobody sends to a receive that is still to be withdrawn
    if (which.persistent) {
        one.prepare();
        one.start();
        one.follow();
        one.finish();
    }
    one.free();
}

void communicator_freed_first(const constructor &which, const surroundings &around) {
    if (!which.of_comm)
        return;
    for (int round = 0; round < 2; ++round) {
        const bool started = round == 0;
        if (!started && !which.persistent)
            return;
        trial one{which, around};
        if (started)
            one.prepare();
        else
            one.pair();
        one.make();
        if (started) {
            one.start();
            one.follow();
        }
        CHECK_MPI(MPI_Comm_free(&one.at.comm));
        CHECK_MPI(MPI_Comm_free(&one.at.grid));
        if (started)
            one.finish();
        one.free();
    }
}

void all_of(const constructor &which, const surroundings &around) {
    now = which.name;
    plain(which, around);
    freed_at_once(which, around);
    to_nobody(which, around);
    cancelled(which, around);
    communicator_freed_first(which, around);
}

/// Bytes that the process has allotted, when all of its ranks are here.
long in_use() {
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const long bytes = static_cast<long>(mallinfo2().uordblks);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    return bytes;
}

/// What is left behind by each case is left behind again and again.
void expect_no_growth(const constructor &which, const surroundings &around) {
    constexpr int rounds = 10;
    constexpr long tolerated = 32 * rounds; // less than any object of a request
    long grown = 0;
    for (int measure = 0; measure < 6; ++measure) { // tables grow now and then
        const long before = in_use();
        for (int round = 0; round < rounds; ++round)
            all_of(which, around);
        grown = in_use() - before;
        CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &grown, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD));
        if (grown < tolerated)
            return;
    }
    check::fail(__FILE__, __LINE__,
                std::string{which.name} + ": " + std::to_string(grown) + " bytes are left");
}

/// Requests of partitioned messages that are never started take part in the matching of those that are.
void unused_partitions(const check::job &job) {
    const int dest = (job.rank + 1) % job.size;
    const int source = (job.rank + job.size - 1) % job.size;
    for (int round = 0; round < 50; ++round) {
        int sent = 100 * job.rank + round;
        int got = -1;
        MPI_Request requests[2];
        for (const bool used : {false, true}) {
            CHECK_MPI(
                MPI_Precv_init(&got, 1, 1, MPI_INT, source, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
            CHECK_MPI(
                MPI_Psend_init(&sent, 1, 1, MPI_INT, dest, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
            if (used) {
                CHECK_MPI(MPI_Startall(2, requests));
                CHECK_MPI(MPI_Pready(0, requests[1]));
                CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
                CHECK_EQ(got, 100 * source + round);
            }
            for (MPI_Request &each : requests)
                CHECK_MPI(MPI_Request_free(&each));
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    unused_partitions(job);
    const surroundings around{job};
    for (const constructor &each : constructors) {
        all_of(each, around);
        if (argc > 1)
            expect_no_growth(each, around);
    }
}
