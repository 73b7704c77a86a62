// SPDX-License-Identifier: Apache-2.0
// Windows as objects: how they are made and freed, their attributes, groups, names, info, error handlers, and
// the memory that ranks of a node share.
#include "window.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

namespace {

/// The value of a predefined attribute; ends the job if it is not set.
void *attribute(MPI_Win window, int key) {
    void *value = nullptr;
    int set = 0;
    CHECK_MPI(MPI_Win_get_attr(window, key, static_cast<void *>(&value), &set));
    CHECK_EQ(set, 1);
    return value;
}

void predefined_attributes(flavour how) {
    constexpr std::size_t count = 100;
    const window_of<double> window(how, count);
    const int kind = *static_cast<int *>(attribute(window.handle(), MPI_WIN_CREATE_FLAVOR));
    const int expected = how == flavour::allocated                                ? MPI_WIN_FLAVOR_ALLOCATE
                         : how == flavour::dynamic                                ? MPI_WIN_FLAVOR_DYNAMIC
                         : how == flavour::created || how == flavour::created_mpi ? MPI_WIN_FLAVOR_CREATE
                                                                                  : MPI_WIN_FLAVOR_SHARED;
    CHECK_EQ(kind, expected);
    const int model = *static_cast<int *>(attribute(window.handle(), MPI_WIN_MODEL));
    CHECK(model == MPI_WIN_UNIFIED || model == MPI_WIN_SEPARATE);
    if (how == flavour::dynamic) {
        CHECK(attribute(window.handle(), MPI_WIN_BASE) == MPI_BOTTOM);
        CHECK_EQ(*static_cast<MPI_Aint *>(attribute(window.handle(), MPI_WIN_SIZE)), 0);
        CHECK_EQ(*static_cast<int *>(attribute(window.handle(), MPI_WIN_DISP_UNIT)), 1);
    } else {
        CHECK(attribute(window.handle(), MPI_WIN_BASE) == window.memory().data());
        CHECK_EQ(*static_cast<MPI_Aint *>(attribute(window.handle(), MPI_WIN_SIZE)),
                 static_cast<MPI_Aint>(count * sizeof(double)));
        CHECK_EQ(*static_cast<int *>(attribute(window.handle(), MPI_WIN_DISP_UNIT)),
                 static_cast<int>(sizeof(double)));
    }
}

/// Each rank has its own size and unit of displacement, and they may be 0 bytes.
void different_parts(const check::job &job) {
    const auto bytes = static_cast<MPI_Aint>(job.rank % 3 == 1 ? 0 : 64 * (job.rank + 1));
    const int unit = 1 << job.rank % 4;
    void *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(
        MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void *>(&base), &window));
    CHECK_EQ(*static_cast<MPI_Aint *>(attribute(window, MPI_WIN_SIZE)), bytes);
    CHECK_EQ(*static_cast<int *>(attribute(window, MPI_WIN_DISP_UNIT)), unit);
    if (bytes > 0)
        std::memset(base, 0, static_cast<std::size_t>(bytes));
    CHECK_MPI(MPI_Win_fence(0, window));
    const char letter = static_cast<char>('a' + job.rank);
    for (int target = 0; target < job.size; ++target)
        if (target % 3 != 1 && job.rank < 8) // the target's unit counts
            CHECK_MPI(MPI_Put(&letter, 1, MPI_CHAR, target, job.rank, 1, MPI_CHAR, window));
    CHECK_MPI(MPI_Win_fence(0, window));
    for (int rank = 0; bytes > 0 && rank < job.size && rank < 8; ++rank)
        CHECK_EQ(static_cast<char *>(base)[rank * unit], static_cast<char>('a' + rank));
    CHECK_MPI(MPI_Win_free(&window));
    CHECK(window == MPI_WIN_NULL);

    // The same of the program's memory, with the large-count form; no memory at all has no address.
    std::vector<char> own(static_cast<std::size_t>(bytes));
    CHECK_MPI(MPI_Win_create_c(bytes > 0 ? own.data() : nullptr, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
                               &window));
    CHECK_EQ(*static_cast<MPI_Aint *>(attribute(window, MPI_WIN_SIZE)), bytes);
    CHECK_MPI(MPI_Win_free(&window));
    CHECK_MPI(
        MPI_Win_allocate_c(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void *>(&base), &window));
    CHECK_EQ(*static_cast<int *>(attribute(window, MPI_WIN_DISP_UNIT)), unit);
    CHECK_MPI(MPI_Win_free(&window));
}

void groups(const check::job &job) {
    MPI_Comm reversed = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank % 2, -job.rank, &reversed));
    {
        window_of<int> window(flavour::allocated, 1, reversed);
        MPI_Group of_window = MPI_GROUP_NULL;
        MPI_Group of_comm = MPI_GROUP_NULL;
        CHECK_MPI(MPI_Win_get_group(window.handle(), &of_window));
        CHECK_MPI(MPI_Comm_group(reversed, &of_comm));
        int result = MPI_UNEQUAL;
        CHECK_MPI(MPI_Group_compare(of_window, of_comm, &result));
        CHECK_EQ(result, MPI_IDENT);
        CHECK_MPI(MPI_Group_free(&of_window));
        CHECK_MPI(MPI_Group_free(&of_comm));

        // The window goes on when its communicator is gone, and its ranks are those of that communicator.
        int rank = -1;
        int size = 0;
        CHECK_MPI(MPI_Comm_rank(reversed, &rank));
        CHECK_MPI(MPI_Comm_size(reversed, &size));
        CHECK_MPI(MPI_Comm_free(&reversed));
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        CHECK_MPI(MPI_Put(&job.rank, 1, MPI_INT, (rank + 1) % size, window.at((rank + 1) % size, 0), 1,
                          MPI_INT, window.handle()));
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        const int left = size == 1 ? job.rank : rank > 0 ? job.rank + 2 : job.rank - 2 * (size - 1);
        CHECK_EQ(window[0], left);
    }
}

void names() {
    const window_of<int> window(flavour::allocated, 1);
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    CHECK_MPI(MPI_Win_get_name(window.handle(), name, &length));
    CHECK_EQ(std::string{name}, std::string{});
    CHECK_EQ(length, 0);
    CHECK_MPI(MPI_Win_set_name(window.handle(), "ghost cells"));
    CHECK_MPI(MPI_Win_get_name(window.handle(), name, &length));
    CHECK_EQ(std::string{name}, "ghost cells");
    CHECK_EQ(length, 11);
}

/// The value that a window has for a key, or nothing.
std::string value_of(MPI_Win window, const char *key) {
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Win_get_info(window, &info));
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int length = sizeof value;
    int found = 0;
    CHECK_MPI(MPI_Info_get_string(info, key, &length, value, &found));
    CHECK_MPI(MPI_Info_free(&info));
    return found != 0 ? value : "";
}

/// Hints are accepted, told again, and change no result.
void hints() {
    MPI_Info info = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&info));
    CHECK_MPI(MPI_Info_set(info, "no_locks", "true"));
    CHECK_MPI(MPI_Info_set(info, "accumulate_ordering", "none"));
    CHECK_MPI(MPI_Info_set(info, "accumulate_ops", "same_op"));
    CHECK_MPI(MPI_Info_set(info, "same_size", "true"));
    CHECK_MPI(MPI_Info_set(info, "same_disp_unit", "true"));
    CHECK_MPI(MPI_Info_set(info, "mpi_accumulate_granularity", "8"));
    CHECK_MPI(MPI_Info_set(info, "nobody_knows_this", "yes"));
    long *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(MPI_Win_allocate(4 * sizeof(long), sizeof(long), info, MPI_COMM_WORLD,
                               static_cast<void *>(&base), &window));
    CHECK_MPI(MPI_Info_free(&info));
    CHECK_EQ(value_of(window, "no_locks"), "true");
    CHECK_EQ(value_of(window, "same_size"), "true");
    CHECK_EQ(value_of(window, "accumulate_ordering"), "none");
    CHECK_EQ(value_of(window, "accumulate_ops"), "same_op");

    base[0] = 0;
    const long one = 1;
    int size = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_MPI(MPI_Win_fence(0, window));
    for (int i = 0; i < 10; ++i)
        CHECK_MPI(MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, window));
    CHECK_MPI(MPI_Win_fence(0, window));
    int rank = -1;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    if (rank == 0)
        CHECK_EQ(base[0], 10L * size);
    CHECK_MPI(MPI_Info_create(&info));
    CHECK_MPI(MPI_Info_set(info, "accumulate_ordering", "rar,raw,war,waw"));
    CHECK_MPI(MPI_Win_set_info(window, info));
    CHECK_MPI(MPI_Info_free(&info));
    CHECK_MPI(MPI_Win_free(&window));
}

int copies = 0;
int deletions = 0;
MPI_Win deleted_of = MPI_WIN_NULL;

int on_copy(MPI_Win, int, void *, void *, void *, int *flag) {
    ++copies;
    *flag = 0;
    return MPI_SUCCESS;
}

int on_delete(MPI_Win window, int, void *value, void *extra) {
    deletions += *static_cast<int *>(value) + *static_cast<int *>(extra);
    deleted_of = window;
    return MPI_SUCCESS;
}

void own_attributes() {
    int extra = 10;
    int one = 1;
    int two = 2;
    int key = MPI_KEYVAL_INVALID;
    CHECK_MPI(MPI_Win_create_keyval(on_copy, on_delete, &key, &extra));
    MPI_Win handle = MPI_WIN_NULL;
    int memory = 0;
    CHECK_MPI(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &handle));
    int *value = nullptr;
    int set = 1;
    CHECK_MPI(MPI_Win_get_attr(handle, key, static_cast<void *>(&value), &set));
    CHECK_EQ(set, 0);
    CHECK_MPI(MPI_Win_set_attr(handle, key, &one));
    CHECK_MPI(MPI_Win_get_attr(handle, key, static_cast<void *>(&value), &set));
    CHECK(set == 1 && value == &one);
    CHECK_MPI(MPI_Win_set_attr(handle, key, &two)); // deletes the one before
    CHECK_EQ(deletions, 11);
    CHECK_MPI(MPI_Win_delete_attr(handle, key));
    CHECK_EQ(deletions, 23);
    CHECK_MPI(MPI_Win_set_attr(handle, key, &one));
    const int freed_key = key;
    CHECK_MPI(MPI_Win_free_keyval(&key));
    CHECK_EQ(key, MPI_KEYVAL_INVALID);
    CHECK_MPI(
        MPI_Win_get_attr(handle, freed_key, static_cast<void *>(&value), &set)); // lives while it is in use
    const MPI_Win before = handle;
    CHECK_MPI(MPI_Win_free(&handle));
    CHECK_EQ(deletions, 34);
    CHECK(deleted_of == before);
    CHECK_EQ(copies, 0);
}

int heard = 0;
MPI_Win heard_of = MPI_WIN_NULL;
int heard_class = MPI_SUCCESS;

void on_error(MPI_Win *window, int *code, ...) {
    ++heard;
    heard_of = *window;
    heard_class = check::error_class(*code);
}

void error_handlers() {
    const window_of<int> window(flavour::allocated, 1);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Win_get_errhandler(window.handle(), &handler));
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
    CHECK_MPI(MPI_Win_create_errhandler(on_error, &handler));
    CHECK_MPI(MPI_Win_set_errhandler(window.handle(), handler));
    MPI_Errhandler got = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Win_get_errhandler(window.handle(), &got));
    CHECK(got == handler);
    CHECK_MPI(MPI_Errhandler_free(&got));
    CHECK_MPI(MPI_Errhandler_free(&handler)); // the window still has it
    CHECK_MPI(MPI_Win_call_errhandler(window.handle(), MPI_ERR_RMA_CONFLICT));
    CHECK(heard == 1 && heard_of == window.handle() && heard_class == MPI_ERR_RMA_CONFLICT);
    const int value = 0;
    const int code = MPI_Put(&value, 1, MPI_INT, 1'000'000, 0, 1, MPI_INT, window.handle());
    CHECK_EQ(check::error_class(code), MPI_ERR_RANK);
    CHECK(heard == 2 && heard_of == window.handle() && heard_class == MPI_ERR_RANK);
}

/// Many windows at once, freed in another order than made.
void many(const check::job &job) {
    constexpr int count = 60;
    std::vector<std::unique_ptr<window_of<int>>> windows;
    for (int i = 0; i < count; ++i)
        windows.push_back(
            std::make_unique<window_of<int>>(i % 3 == 0 ? flavour::created : flavour::allocated, 4));
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    for (const auto &window : windows)
        CHECK_MPI(MPI_Win_fence(0, window->handle()));
    for (int i = 0; i < count; ++i) {
        const int value = job.rank * count + i;
        const auto &window = *windows[static_cast<std::size_t>(i)];
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        CHECK_MPI(MPI_Put(&value, 1, MPI_INT, next, window.at(next, 2), 1, MPI_INT, window.handle()));
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
    }
    for (int i = 0; i < count; ++i) {
        auto &window = windows[static_cast<std::size_t>((i * 7) % count)];
        CHECK_EQ((*window)[2], previous * count + (i * 7) % count);
        window.reset();
    }
}

/// The memory that a rank reaches directly: every rank stores in the part of the next one.
void shared_query(const check::job &job, flavour how) {
    constexpr std::size_t count = 10;
    const window_of<int> window(how, count);
    const auto part = [&](int rank) {
        MPI_Aint bytes = -1;
        int unit = -1;
        int *base = nullptr;
        CHECK_MPI(MPI_Win_shared_query(window.handle(), rank, &bytes, &unit, static_cast<void *>(&base)));
        CHECK_EQ(bytes, static_cast<MPI_Aint>(count * sizeof(int)));
        CHECK_EQ(unit, static_cast<int>(sizeof(int)));
        CHECK(base != nullptr);
        return base;
    };
    CHECK(part(job.rank) == window.memory().data());
    CHECK(part(MPI_PROC_NULL) == part(0)); // the lowest rank with memory
    MPI_Aint bytes = -1;
    MPI_Aint unit = -1;
    void *base = nullptr;
    CHECK_MPI(MPI_Win_shared_query_c(window.handle(), job.rank, &bytes, &unit, static_cast<void *>(&base)));
    CHECK(base == window.memory().data() && unit == static_cast<MPI_Aint>(sizeof(int)));
    if (how == flavour::shared) // one part behind the other
        for (int rank = 1; rank < job.size; ++rank)
            CHECK(part(rank) == part(rank - 1) + count);
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    CHECK_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.handle()));
    for (std::size_t i = 0; i < count; ++i)
        part(next)[i] = job.rank * 100 + static_cast<int>(i);
    CHECK_MPI(MPI_Win_sync(window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_sync(window.handle()));
    for (std::size_t i = 0; i < count; ++i)
        CHECK_EQ(window[i], previous * 100 + static_cast<int>(i));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));

    // Loads see puts, and gets see stores.
    const int value = 4711 + job.rank;
    CHECK_MPI(MPI_Put(&value, 1, MPI_INT, next, 3, 1, MPI_INT, window.handle()));
    CHECK_MPI(MPI_Win_flush(next, window.handle()));
    CHECK_EQ(part(next)[3], value);
    part(next)[4] = value + 1;
    CHECK_MPI(MPI_Win_sync(window.handle()));
    int got = -1;
    CHECK_MPI(MPI_Get(&got, 1, MPI_INT, next, 4, 1, MPI_INT, window.handle()));
    CHECK_MPI(MPI_Win_flush(next, window.handle()));
    CHECK_EQ(got, value + 1);

    // CPU atomics and the window's own work on the same word.
    constexpr int rounds = 200;
    std::atomic_ref<int> counter(part(0)[9]);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    const int before = counter.load();
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    for (int i = 0; i < rounds; ++i)
        counter.fetch_add(1);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(counter.load(), before + rounds * job.size);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// Parts of different sizes in one piece of memory, with none between.
void shared_different(const check::job &job) {
    const MPI_Aint mine = job.rank % 3 == 0 ? 0 : 16 * job.rank;
    void *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(
        MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void *>(&base), &window));
    char *end = nullptr;
    for (int rank = 0; rank < job.size; ++rank) {
        MPI_Aint bytes = -1;
        int unit = 0;
        char *part = nullptr;
        CHECK_MPI(MPI_Win_shared_query(window, rank, &bytes, &unit, static_cast<void *>(&part)));
        CHECK_EQ(bytes, rank % 3 == 0 ? 0 : 16 * rank);
        if (bytes == 0) {
            CHECK(part == nullptr);
            continue;
        }
        CHECK(end == nullptr || part == end);
        end = part + bytes;
    }
    CHECK_MPI(MPI_Win_free(&window));
}

/// A window in which no rank has a byte.
void shared_empty() {
    void *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(
        MPI_Win_allocate_shared(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void *>(&base), &window));
    MPI_Aint bytes = -1;
    int unit = 0;
    CHECK_MPI(MPI_Win_shared_query(window, MPI_PROC_NULL, &bytes, &unit, static_cast<void *>(&base)));
    CHECK_EQ(bytes, 0);
    CHECK(base == nullptr);
    CHECK_MPI(MPI_Win_free(&window));
}

/// Created and allocated windows tell of memory that can be reached, and say 0 bytes of what cannot
/// [MPI-5.0 12.2.3].
void shared_query_of_others(const check::job &job, flavour how) {
#if MPI_VERSION >= 5
    const window_of<long> window(how, 5);
    window[2] = 1000 + job.rank;
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
    for (int rank = 0; rank < job.size; ++rank) {
        MPI_Aint bytes = -1;
        int unit = -1;
        long *base = nullptr;
        CHECK_MPI(MPI_Win_shared_query(window.handle(), rank, &bytes, &unit, static_cast<void *>(&base)));
        if (rank == job.rank)
            CHECK(base == window.memory().data());
        if (base == nullptr) {
            CHECK_EQ(bytes, 0);
            continue;
        }
        CHECK_EQ(bytes, static_cast<MPI_Aint>(5 * sizeof(long)));
        CHECK_EQ(unit, static_cast<int>(sizeof(long)));
        CHECK_EQ(base[2], 1000L + rank);
    }
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
#else
    static_cast<void>(job);
    static_cast<void>(how);
#endif
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        predefined_attributes(how);
        if (how == flavour::shared || how == flavour::shared_separate)
            shared_query(job, how);
        else if (how != flavour::dynamic)
            shared_query_of_others(job, how);
    }
    if (shares_memory(MPI_COMM_WORLD)) {
        shared_different(job);
        shared_empty();
    }
    different_parts(job);
    groups(job);
    names();
    hints();
    own_attributes();
    error_handlers();
    many(job);
}
