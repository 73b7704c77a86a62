// SPDX-License-Identifier: Apache-2.0
// Dynamic windows: memory that is attached and detached while the window is in use, in any number of pieces,
// and lists that ranks link across each other's memory.
#include "payload.hpp"
#include "window.hpp"

#include <cstdint>
#include <memory>

namespace {

class dynamic_window {
  public:
    dynamic_window() {
        CHECK_MPI(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &handle_));
        CHECK_MPI(MPI_Win_set_errhandler(handle_, MPI_ERRORS_RETURN));
    }
    ~dynamic_window() { MPI_Win_free(&handle_); }
    dynamic_window(const dynamic_window &) = delete;
    dynamic_window &operator=(const dynamic_window &) = delete;
    operator MPI_Win() const noexcept { return handle_; }

  private:
    MPI_Win handle_ = MPI_WIN_NULL;
};

MPI_Aint address_of(const void *memory) {
    MPI_Aint address = 0;
    CHECK_MPI(MPI_Get_address(memory, &address));
    return address;
}

std::vector<MPI_Aint> everybodys(MPI_Aint mine, const check::job &job) {
    std::vector<MPI_Aint> all(static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Allgather(&mine, 1, MPI_AINT, all.data(), 1, MPI_AINT, MPI_COMM_WORLD));
    return all;
}

/// Many pieces, of which some are detached and others attached while the rest is in use.
void many_pieces(const check::job &job, bool from_mpi) {
    const dynamic_window window;
    constexpr int pieces = 40;
    constexpr int length = 100;
    const auto make = [from_mpi] {
        void *memory = nullptr;
        if (from_mpi)
            CHECK_MPI(MPI_Alloc_mem(length * sizeof(int), MPI_INFO_NULL, &memory));
        else
            memory = ::operator new(length * sizeof(int));
        for (int i = 0; i < length; ++i)
            static_cast<int *>(memory)[i] = 0;
        return static_cast<int *>(memory);
    };
    const auto destroy = [from_mpi](int *memory) {
        if (from_mpi)
            CHECK_MPI(MPI_Free_mem(memory));
        else
            ::operator delete(memory);
    };
    std::vector<int *> memory;
    for (int i = 0; i < pieces; ++i) {
        memory.push_back(make());
        CHECK_MPI(MPI_Win_attach(window, memory.back(), length * sizeof(int)));
    }
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    for (int round = 0; round < 4; ++round) {
        for (int i = round; i < pieces; i += 3) { // others take their places
            CHECK_MPI(MPI_Win_detach(window, memory[static_cast<std::size_t>(i)]));
            destroy(memory[static_cast<std::size_t>(i)]);
            memory[static_cast<std::size_t>(i)] = make();
            CHECK_MPI(MPI_Win_attach(window, memory[static_cast<std::size_t>(i)], length * sizeof(int)));
        }
        std::vector<MPI_Aint> mine;
        for (const int *const each : memory)
            mine.push_back(address_of(each));
        std::vector<MPI_Aint> theirs(pieces);
        CHECK_MPI(MPI_Sendrecv(mine.data(), pieces, MPI_AINT, previous, 0, theirs.data(), pieces, MPI_AINT,
                               next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        const int base = 1000 * (round + 1) + job.rank;
        std::vector<int> values(length, base);
        CHECK_MPI(MPI_Win_fence(0, window));
        for (const MPI_Aint at : theirs)
            CHECK_MPI(MPI_Put(values.data(), length, MPI_INT, next, at, length, MPI_INT, window));
        CHECK_MPI(MPI_Win_fence(0, window));
        for (const int *const each : memory)
            for (int i = 0; i < length; ++i)
                CHECK_EQ(each[i], 1000 * (round + 1) + previous);
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
    }
    for (int *const each : memory) {
        CHECK_MPI(MPI_Win_detach(window, each));
        destroy(each);
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// Displacements are addresses, which MPI_Aint_add moves on; and MPI_BOTTOM with absolute types goes, too.
void addresses(const check::job &job) {
    const dynamic_window window;
    std::vector<double> memory(50, -1);
    CHECK_MPI(MPI_Win_attach(window, memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(double))));
    const std::vector<MPI_Aint> base = everybodys(address_of(memory.data()), job);
    const int next = (job.rank + 1) % job.size;
    const auto there = static_cast<std::size_t>(next);
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window));
    const double value = job.rank;
    CHECK_MPI(MPI_Put(&value, 1, MPI_DOUBLE, next, MPI_Aint_add(base[there], 7 * sizeof(double)), 1,
                      MPI_DOUBLE, window));
    MPI_Datatype absolute = MPI_DATATYPE_NULL;
    const int ones[] = {1, 1};
    const MPI_Aint places[] = {base[there] + static_cast<MPI_Aint>(9 * sizeof(double)),
                               base[there] + static_cast<MPI_Aint>(3 * sizeof(double))};
    CHECK_MPI(MPI_Type_create_hindexed(2, ones, places, MPI_DOUBLE, &absolute));
    CHECK_MPI(MPI_Type_commit(&absolute));
    const double two[] = {value + 0.25, value + 0.5};
    CHECK_MPI(MPI_Put(two, 2, MPI_DOUBLE, next, 0, 1, absolute, window));
    CHECK_MPI(MPI_Win_unlock(next, window));
    CHECK_MPI(MPI_Type_free(&absolute));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, job.rank, 0, window));
    const int previous = (job.rank + job.size - 1) % job.size;
    CHECK_EQ(memory[7], previous);
    CHECK_EQ(memory[9], previous + 0.25);
    CHECK_EQ(memory[3], previous + 0.5);
    CHECK_EQ(memory[0], -1);
    CHECK_MPI(MPI_Win_unlock(job.rank, window));
    CHECK_MPI(MPI_Win_detach(window, memory.data()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// What is not attached, or no longer, cannot be reached.
void not_attached(const check::job &job) {
    const dynamic_window window;
    std::vector<int> memory(64, 0);
    const auto bytes = static_cast<MPI_Aint>(memory.size() * sizeof(int));
    const std::vector<MPI_Aint> base = everybodys(address_of(memory.data()), job);
    const int next = (job.rank + 1) % job.size;
    const MPI_Aint at = base[static_cast<std::size_t>(next)];
    const int value = 3;
    // An error may come with the call or, where the target finds it, with what completes it.
    const auto reaches = [&] {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window));
        const int put = MPI_Put(&value, 1, MPI_INT, next, at, 1, MPI_INT, window);
        const int unlock = MPI_Win_unlock(next, window);
        const int code = put != MPI_SUCCESS ? put : unlock;
        if (code != MPI_SUCCESS)
            CHECK_ERROR(MPI_ERR_RMA_RANGE, code);
        return code == MPI_SUCCESS;
    };
    CHECK(!reaches());
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_attach(window, memory.data(), bytes));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(reaches());
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(memory[0], 3);
    CHECK_MPI(MPI_Win_detach(window, memory.data()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(!reaches());
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// An element of a list that grows across the ranks.
struct element {
    long value;
    std::int64_t next_rank; ///< -1 at the end
    MPI_Aint next;
};

/// Every rank appends elements of its own to one list, by compare_and_swap on the last one's pointer, as a
/// stack: the head is swapped, and the list is walked with gets.
void linked_list(const check::job &job) {
    const dynamic_window window;
    constexpr int each_adds = 20;
    // The head is a rank and the number of an element there, together one word.
    std::int64_t head = -1;
    std::vector<element> mine(each_adds);
    CHECK_MPI(MPI_Win_attach(window, &head, sizeof head));
    CHECK_MPI(MPI_Win_attach(window, mine.data(), static_cast<MPI_Aint>(mine.size() * sizeof(element))));
    const std::vector<MPI_Aint> heads = everybodys(address_of(&head), job);
    const std::vector<MPI_Aint> elements = everybodys(address_of(mine.data()), job);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_lock_all(0, window));
    std::int64_t before = -1;
    CHECK_MPI(MPI_Fetch_and_op(nullptr, &before, MPI_INT64_T, 0, heads[0], MPI_NO_OP, window));
    CHECK_MPI(MPI_Win_flush(0, window));
    for (int i = 0; i < each_adds; ++i) {
        const std::int64_t added = static_cast<std::int64_t>(job.rank) * each_adds + i;
        for (std::int64_t expected = -2; expected != before;) {
            expected = before;
            element filled{added * added, expected < 0 ? -1 : expected / each_adds, expected};
            CHECK_MPI(MPI_Put(&filled, sizeof filled, MPI_BYTE, job.rank,
                              elements[static_cast<std::size_t>(job.rank)] +
                                  i * static_cast<MPI_Aint>(sizeof filled),
                              sizeof filled, MPI_BYTE, window));
            CHECK_MPI(MPI_Win_flush(job.rank, window));
            CHECK_MPI(MPI_Compare_and_swap(&added, &expected, &before, MPI_INT64_T, 0, heads[0], window));
            CHECK_MPI(MPI_Win_flush(0, window));
        }
        before = added;
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    std::vector<bool> seen(static_cast<std::size_t>(job.size * each_adds));
    std::int64_t at = -1;
    CHECK_MPI(MPI_Fetch_and_op(nullptr, &at, MPI_INT64_T, 0, heads[0], MPI_NO_OP, window));
    CHECK_MPI(MPI_Win_flush(0, window));
    for (std::size_t steps = 0; steps < seen.size(); ++steps) {
        CHECK(at >= 0 && at < static_cast<std::int64_t>(seen.size()) && !seen[static_cast<std::size_t>(at)]);
        seen[static_cast<std::size_t>(at)] = true;
        const int owner = static_cast<int>(at / each_adds);
        element found{};
        CHECK_MPI(MPI_Get(&found, sizeof found, MPI_BYTE, owner,
                          elements[static_cast<std::size_t>(owner)] +
                              at % each_adds * static_cast<MPI_Aint>(sizeof found),
                          sizeof found, MPI_BYTE, window));
        CHECK_MPI(MPI_Win_flush(owner, window));
        CHECK_EQ(found.value, at * at);
        at = found.next;
    }
    CHECK_EQ(at, -1);
    CHECK_MPI(MPI_Win_unlock_all(window));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_MPI(MPI_Win_detach(window, &head));
    CHECK_MPI(MPI_Win_detach(window, mine.data()));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    many_pieces(job, false);
    many_pieces(job, true);
    addresses(job);
    linked_list(job);
    not_attached(job);
}
