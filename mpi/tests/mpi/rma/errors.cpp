// SPDX-License-Identifier: Apache-2.0
// What is wrong in a call of one-sided communication is told by an error of the right class, whatever else
// happens, and the window is as good afterwards as before.
#include "window.hpp"

#include <climits>
#include <cstdint>

namespace {

constexpr std::size_t count = 8;

struct scene {
    const check::job &job;
    window_of<int> &window;
    MPI_Win handle;
    int next;
    int value = 5;
};

/// Arguments that no call could do anything with.
void constructor_arguments() {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    // MPI_COMM_SELF hears of errors that are about no object [MPI-5.0 9.3].
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    int word = 0;
    void *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_ERROR(MPI_ERR_SIZE, MPI_Win_create(&word, -1, 1, MPI_INFO_NULL, comm, &window));
    CHECK_ERROR(MPI_ERR_DISP, MPI_Win_create(&word, sizeof word, 0, MPI_INFO_NULL, comm, &window));
    CHECK_ERROR(MPI_ERR_DISP, MPI_Win_create(&word, sizeof word, -4, MPI_INFO_NULL, comm, &window));
    CHECK_ERROR(MPI_ERR_COMM, MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_NULL, &window));
    CHECK_ERROR(MPI_ERR_SIZE,
                MPI_Win_allocate(-8, 1, MPI_INFO_NULL, comm, static_cast<void *>(&base), &window));
    CHECK_ERROR(MPI_ERR_DISP,
                MPI_Win_allocate(8, 0, MPI_INFO_NULL, comm, static_cast<void *>(&base), &window));
    CHECK_ERROR(MPI_ERR_SIZE,
                MPI_Win_allocate_shared(-8, 1, MPI_INFO_NULL, comm, static_cast<void *>(&base), &window));
    if (!shares_memory(MPI_COMM_WORLD))
        CHECK_ERROR(MPI_ERR_RMA_SHARED,
                    MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, comm, static_cast<void *>(&base), &window));
    CHECK(window == MPI_WIN_NULL);
    CHECK_MPI(MPI_Comm_free(&comm));
    CHECK_ERROR(MPI_ERR_WIN, MPI_Win_free(&window));
    CHECK_ERROR(MPI_ERR_WIN, MPI_Win_fence(0, MPI_WIN_NULL));
    CHECK_ERROR(MPI_ERR_WIN, MPI_Put(&word, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL));
    CHECK_ERROR(MPI_ERR_WIN, MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, MPI_WIN_NULL));
}

/// Communication outside of every epoch.
void no_epoch(const scene &s) {
    int value = 0;
    const MPI_Aint at = s.window.at(s.next, 0);
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Put(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Get(&value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC,
                MPI_Accumulate(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, MPI_SUM, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Get_accumulate(&s.value, 1, MPI_INT, &value, 1, MPI_INT, s.next, at, 1,
                                                     MPI_INT, MPI_SUM, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Fetch_and_op(&s.value, &value, MPI_INT, s.next, at, MPI_SUM, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC,
                MPI_Compare_and_swap(&s.value, &value, &value, MPI_INT, s.next, at, s.handle));
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Rput(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle, &request));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Rget(&value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle, &request));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush(s.next, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush_all(s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush_local(s.next, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush_local_all(s.handle));
}

/// Ends of epochs that have not begun, and beginnings within others.
void synchronisation_order(const scene &s) {
    int done = 0;
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_complete(s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_wait(s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_test(s.handle, &done));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock(s.next, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(s.handle));

    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, s.next, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, s.next, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_start(MPI_GROUP_EMPTY, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_fence(0, s.handle));
    CHECK_MPI(MPI_Win_unlock(s.next, s.handle));

    CHECK_MPI(MPI_Win_lock_all(0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, s.next, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock(s.next, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_start(MPI_GROUP_EMPTY, 0, s.handle));
    CHECK_MPI(MPI_Win_unlock_all(s.handle));

    CHECK_MPI(MPI_Win_start(MPI_GROUP_EMPTY, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_start(MPI_GROUP_EMPTY, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, s.next, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush(s.next, s.handle));
    const MPI_Aint at = s.window.at(s.next, 0);
    CHECK_ERROR(MPI_ERR_RMA_SYNC,
                MPI_Put(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle)); // not of the group
    CHECK_MPI(MPI_Win_complete(s.handle));

    CHECK_MPI(MPI_Win_post(MPI_GROUP_EMPTY, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_post(MPI_GROUP_EMPTY, 0, s.handle));
    CHECK_MPI(MPI_Win_wait(s.handle));

    // Another target than the one that is locked.
    if (s.job.size > 1) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, s.job.rank, 0, s.handle));
        CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Put(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle));
        CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush(s.next, s.handle));
        CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_unlock(s.next, s.handle));
        CHECK_MPI(MPI_Win_unlock(s.job.rank, s.handle));
    }

    // A window with an open epoch cannot be freed.
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, s.job.rank, 0, s.handle));
    MPI_Win copy = s.handle;
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_free(&copy));
    CHECK_MPI(MPI_Win_unlock(s.job.rank, s.handle));

    // Requests belong to passive epochs.
    CHECK_MPI(MPI_Win_fence(0, s.handle));
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Rput(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, s.handle, &request));
    CHECK_ERROR(MPI_ERR_RMA_SYNC, MPI_Win_flush(s.next, s.handle));
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, s.handle));
}

/// Arguments of synchronisation.
void synchronisation_arguments(const scene &s) {
    CHECK_ERROR(MPI_ERR_LOCKTYPE, MPI_Win_lock(12345, s.next, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, s.job.size, 0, s.handle));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, -77, 0, s.handle));
    CHECK_ERROR(MPI_ERR_ASSERT, MPI_Win_lock(MPI_LOCK_SHARED, s.next, INT_MAX, s.handle));
    CHECK_ERROR(MPI_ERR_ASSERT, MPI_Win_lock_all(INT_MAX, s.handle));
    CHECK_ERROR(MPI_ERR_ASSERT, MPI_Win_fence(INT_MAX, s.handle));
    CHECK_ERROR(MPI_ERR_ASSERT, MPI_Win_post(MPI_GROUP_EMPTY, INT_MAX, s.handle));
    CHECK_ERROR(MPI_ERR_ASSERT, MPI_Win_start(MPI_GROUP_EMPTY, INT_MAX, s.handle));
    CHECK_ERROR(MPI_ERR_GROUP, MPI_Win_post(MPI_GROUP_NULL, 0, s.handle));
    CHECK_ERROR(MPI_ERR_GROUP, MPI_Win_start(MPI_GROUP_NULL, 0, s.handle));
}

void on_user_operation(void *, void *, int *, MPI_Datatype *) {}

/// Arguments of communication, within an epoch.
void communication_arguments(const scene &s, flavour how) {
    const MPI_Aint at = s.window.at(s.next, 0);
    int value = 0;
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &uncommitted));
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &pair));
    CHECK_MPI(MPI_Type_commit(&pair));
    MPI_Op own = MPI_OP_NULL;
    CHECK_MPI(MPI_Op_create(on_user_operation, 1, &own));

    CHECK_MPI(MPI_Win_lock_all(0, s.handle));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Put(&s.value, -1, MPI_INT, s.next, at, 1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_COUNT, MPI_Get(&value, 1, MPI_INT, s.next, at, -1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_COUNT,
                MPI_Accumulate(&s.value, 1, MPI_INT, s.next, at, -1, MPI_INT, MPI_SUM, s.handle));
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Put(&s.value, 1, MPI_DATATYPE_NULL, s.next, at, 1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Get(&value, 1, MPI_INT, s.next, at, 1, MPI_DATATYPE_NULL, s.handle));
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Put(&s.value, 1, MPI_INT, s.next, at, 1, uncommitted, s.handle));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Put(&s.value, 1, MPI_INT, s.job.size, at, 1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_RANK, MPI_Get(&value, 1, MPI_INT, -77, at, 1, MPI_INT, s.handle));
    if (how != flavour::dynamic) // whose displacements are addresses
        CHECK_ERROR(MPI_ERR_DISP, MPI_Put(&s.value, 1, MPI_INT, s.next, -1, 1, MPI_INT, s.handle));
    CHECK_ERROR(MPI_ERR_OP, MPI_Accumulate(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, own, s.handle));
    CHECK_ERROR(MPI_ERR_OP,
                MPI_Accumulate(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, MPI_OP_NULL, s.handle));
    CHECK_ERROR(MPI_ERR_OP,
                MPI_Accumulate(&s.value, 1, MPI_INT, s.next, at, 1, MPI_INT, MPI_NO_OP, s.handle));
    const float number = 1;
    float before = 0;
    CHECK_ERROR(MPI_ERR_OP,
                MPI_Accumulate(&number, 1, MPI_FLOAT, s.next, at, 1, MPI_FLOAT, MPI_BAND, s.handle));
    CHECK_ERROR(MPI_ERR_OP, MPI_Fetch_and_op(&number, &before, MPI_FLOAT, s.next, at, MPI_BXOR, s.handle));
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Fetch_and_op(&s.value, &value, pair, s.next, at, MPI_SUM, s.handle));
    CHECK_ERROR(MPI_ERR_TYPE,
                MPI_Compare_and_swap(&number, &number, &before, MPI_FLOAT, s.next, at, s.handle));
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Compare_and_swap(&s.value, &s.value, &value, pair, s.next, at, s.handle));
    CHECK_MPI(MPI_Win_unlock_all(s.handle));

    CHECK_MPI(MPI_Op_free(&own));
    CHECK_MPI(MPI_Type_free(&pair));
    CHECK_MPI(MPI_Type_free(&uncommitted));
}

/// A call that reaches beyond what is there fails; or, where the target finds it, what completes the call
/// does.
template <class Call> void out_of_range(const scene &s, Call call) {
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, s.next, 0, s.handle));
    const int called = call();
    const int completed = MPI_Win_unlock(s.next, s.handle);
    CHECK_ERROR(MPI_ERR_RMA_RANGE, called != MPI_SUCCESS ? called : completed);
}

/// What lies beyond the target's part is out of reach, whatever way the type goes there.
void ranges(const scene &s) {
    MPI_Datatype far = MPI_DATATYPE_NULL;
    const MPI_Aint place = 1 << 20;
    const int one = 1;
    CHECK_MPI(MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &far));
    CHECK_MPI(MPI_Type_commit(&far));
    MPI_Datatype before = MPI_DATATYPE_NULL;
    const MPI_Aint negative = -8;
    CHECK_MPI(MPI_Type_create_hindexed(1, &one, &negative, MPI_INT, &before));
    CHECK_MPI(MPI_Type_commit(&before));
    int values[count + 1] = {};
    const MPI_Aint end = s.window.at(s.next, count);
    const MPI_Aint at = s.window.at(s.next, 0);
    const auto put = [&](int number, MPI_Aint displacement, MPI_Datatype type) {
        out_of_range(s, [&] {
            return MPI_Put(values, number, MPI_INT, s.next, displacement, type == MPI_INT ? number : 1, type,
                           s.handle);
        });
    };
    const auto get = [&](MPI_Aint displacement, MPI_Datatype type) {
        out_of_range(s, [&] { return MPI_Get(values, 1, MPI_INT, s.next, displacement, 1, type, s.handle); });
    };
    put(1, end, MPI_INT);
    put(count + 1, at, MPI_INT);
    put(1, at, far);
    put(1, at, before);
    put(1, INT64_MAX / 2, MPI_INT); // whose bytes no number counts
    get(end + 100, MPI_INT);
    get(at, far);
    get(at, before);
    out_of_range(
        s, [&] { return MPI_Accumulate(values, 1, MPI_INT, s.next, end, 1, MPI_INT, MPI_SUM, s.handle); });
    out_of_range(
        s, [&] { return MPI_Fetch_and_op(values, values + 1, MPI_INT, s.next, end, MPI_SUM, s.handle); });
    out_of_range(s, [&] {
        return MPI_Compare_and_swap(values, values + 1, values + 2, MPI_INT, s.next, end, s.handle);
    });
    CHECK_MPI(MPI_Type_free(&far));
    CHECK_MPI(MPI_Type_free(&before));
}

/// Calls that are for other flavours.
void flavour_calls(const scene &s, flavour how) {
    int memory[4] = {};
    MPI_Aint bytes = 0;
    int unit = 0;
    void *base = nullptr;
    if (how == flavour::dynamic) {
        CHECK_ERROR(MPI_ERR_RMA_FLAVOR,
                    MPI_Win_shared_query(s.handle, 0, &bytes, &unit, static_cast<void *>(&base)));
        CHECK_ERROR(MPI_ERR_SIZE, MPI_Win_attach(s.handle, memory, -1));
    } else {
        CHECK_ERROR(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(s.handle, memory, sizeof memory));
        CHECK_ERROR(MPI_ERR_RMA_FLAVOR, MPI_Win_detach(s.handle, memory));
    }
}

/// After all this the window works.
void still_works(const scene &s) {
    CHECK_MPI(MPI_Win_fence(0, s.handle));
    // No elements: bytes cannot be added, but there are none.
    CHECK_MPI(
        MPI_Accumulate(nullptr, 0, MPI_BYTE, s.next, s.window.at(s.next, 0), 0, MPI_BYTE, MPI_SUM, s.handle));
    CHECK_MPI(MPI_Get_accumulate(nullptr, 0, MPI_BYTE, nullptr, 0, MPI_BYTE, s.next, s.window.at(s.next, 0),
                                 0, MPI_BYTE, MPI_SUM, s.handle));
    const int value = 70 + s.job.rank;
    CHECK_MPI(MPI_Put(&value, 1, MPI_INT, s.next, s.window.at(s.next, 1), 1, MPI_INT, s.handle));
    CHECK_MPI(MPI_Win_fence(0, s.handle));
    CHECK_EQ(s.window[1], 70 + (s.job.rank + s.job.size - 1) % s.job.size);
    for (std::size_t i = 0; i < count; ++i)
        if (i != 1)
            CHECK_EQ(s.window[i], 0);
    CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, s.handle));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        window_of<int> window(how, count);
        CHECK_MPI(MPI_Win_set_errhandler(window.handle(), MPI_ERRORS_RETURN));
        const scene s{job, window, window.handle(), (job.rank + 1) % job.size};
        no_epoch(s);
        synchronisation_order(s);
        synchronisation_arguments(s);
        communication_arguments(s, how);
        if (how != flavour::shared) // there the parts of others lie behind this one
            ranges(s);
        flavour_calls(s, how);
        still_works(s);
    }
    constructor_arguments();
}
