// SPDX-License-Identifier: Apache-2.0
// Long transfers: several MiB by every path, and with the argument `huge` counts beyond 2^31 in the
// large-count forms.
#include "payload.hpp"
#include "window.hpp"

#include <cstdint>
#include <cstring>

namespace {

/// Puts and gets of many lengths, contiguous and with holes.
void lengths(const check::job &job, flavour how) {
    constexpr std::size_t room = std::size_t{5} << 20;
    window_of<std::byte> window(how, room);
    const int next = (job.rank + 1) % job.size;
    const int previous = (job.rank + job.size - 1) % job.size;
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{4096}, std::size_t{65537}, std::size_t{1} << 20, room - 3}) {
        guarded_buffer out(bytes);
        guarded_buffer in(bytes);
        out.fill(static_cast<std::uint64_t>(job.rank) + bytes);
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        CHECK_MPI(MPI_Put(out.data(), static_cast<int>(bytes), MPI_BYTE, next, window.at(next, 1),
                          static_cast<int>(bytes), MPI_BYTE, window.handle()));
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        CHECK(is_random(window.memory().data() + 1, bytes, static_cast<std::uint64_t>(previous) + bytes));
        CHECK(window[0] == std::byte{} && window[bytes + 1] == std::byte{});
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        CHECK_MPI(MPI_Get(in.data(), static_cast<int>(bytes), MPI_BYTE, next, window.at(next, 1),
                          static_cast<int>(bytes), MPI_BYTE, window.handle()));
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        in.expect(static_cast<std::uint64_t>(job.rank) + bytes, "get of " + std::to_string(bytes));
        CHECK_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.handle()));
    }
}

/// A long accumulate, by all ranks on one target.
void long_accumulate(const check::job &job, flavour how) {
    constexpr int count = 300'000;
    window_of<int> window(how, count);
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i)
        values[static_cast<std::size_t>(i)] = i + job.rank;
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
    CHECK_MPI(MPI_Accumulate(values.data(), count, MPI_INT, 0, window.at(0, 0), count, MPI_INT, MPI_SUM,
                             window.handle()));
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
    if (job.rank == 0)
        for (int i = 0; i < count; ++i)
            CHECK_EQ(window[static_cast<std::size_t>(i)], job.size * i + job.size * (job.size - 1) / 2);
}

/// More bytes than an int counts, and displacements beyond.
void huge(const check::job &job) {
    constexpr MPI_Count bytes = (MPI_Count{1} << 31) + 4097;
    char *base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    const MPI_Aint mine = job.rank == 0 ? bytes + 100 : 0;
    CHECK_MPI(
        MPI_Win_allocate_c(mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void *>(&base), &window));
    if (job.rank == 0) {
        base[49] = 'b';
        base[bytes + 99] = 'e';
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == job.size - 1) {
        std::vector<char> data(static_cast<std::size_t>(bytes), 'x');
        data.front() = 'a';
        data.back() = 'z';
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window));
        CHECK_MPI(MPI_Put_c(data.data(), bytes, MPI_BYTE, 0, 50, bytes, MPI_BYTE, window));
        CHECK_MPI(MPI_Win_flush(0, window));
        std::memset(data.data(), 0, data.size());
        CHECK_MPI(MPI_Get_c(data.data(), bytes, MPI_BYTE, 0, 50, bytes, MPI_BYTE, window));
        CHECK_MPI(MPI_Win_flush(0, window));
        CHECK(data.front() == 'a' && data.back() == 'z' && data[1] == 'x' && data[data.size() - 2] == 'x');
        char end = 0;
        CHECK_MPI(MPI_Get(&end, 1, MPI_CHAR, 0, bytes + 99, 1, MPI_CHAR, window));
        CHECK_MPI(MPI_Win_unlock(0, window));
        CHECK_EQ(end, 'e');
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (job.rank == 0)
        CHECK(base[49] == 'b' && base[50] == 'a' && base[50 + bytes - 1] == 'z');
    CHECK_MPI(MPI_Win_free(&window));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    if (argc > 1 && std::string{argv[1]} == "huge") {
        huge(job);
        return 0;
    }
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        lengths(job, how);
        long_accumulate(job, how);
    }
}
