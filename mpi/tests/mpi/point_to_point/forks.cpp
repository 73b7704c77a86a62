// SPDX-License-Identifier: Apache-2.0
// Ranks that fork, before, within and after communication of long data, and start programs: a child has its
// own copy of all memory as it was then, and a parent gets all of its messages, whether its peers copy them
// by the kernel or by address (lislerun --shared-malloc).
#include "check.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

int own_rank() {
    int rank = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return rank;
}
int rank_count() {
    int count = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &count));
    return count;
}
int right() {
    return (own_rank() + 1) % rank_count();
}
int left() {
    return (own_rank() + rank_count() - 1) % rank_count();
}

/// A block of malloc's that knows what it is filled with.
class block {
  public:
    explicit block(std::size_t bytes)
        : bytes_{bytes}, words_{static_cast<std::uint32_t *>(std::malloc(bytes))} {
        CHECK(words_ != nullptr);
    }
    block(block &&other) noexcept
        : bytes_{std::exchange(other.bytes_, 0)}, words_{std::exchange(other.words_, nullptr)} {}
    block &operator=(block &&) = delete;
    ~block() { std::free(words_); }
    void fill(int seed) {
        for (std::size_t i = 0; i != bytes_ / 4; ++i) {
            words_[i] = word(i, seed);
        }
    }
    [[nodiscard]] bool is_filled(int seed) const {
        for (std::size_t i = 0; i != bytes_ / 4; ++i) {
            if (words_[i] != word(i, seed)) {
                return false;
            }
        }
        return true;
    }
    void lengthen(std::size_t bytes) {
        words_ = static_cast<std::uint32_t *>(std::realloc(words_, bytes));
        bytes_ = bytes;
    }
    [[nodiscard]] std::uint32_t *data() const { return words_; }
    [[nodiscard]] int size() const { return static_cast<int>(bytes_); }

  private:
    static std::uint32_t word(std::size_t at, int seed) {
        return static_cast<std::uint32_t>(at) * 2654435761u + static_cast<std::uint32_t>(seed) * 97u;
    }
    std::size_t bytes_;
    std::uint32_t *words_;
};

/// A child that does something when it is told to. Its parent hears whether all was as it should be.
class child {
  public:
    explicit child(const std::function<bool()> &body) {
        CHECK(pipe(word_) == 0);
        pid_ = fork();
        CHECK(pid_ >= 0);
        if (pid_ == 0) {
            char told = 0;
            std::_Exit(read(word_[0], &told, 1) == 1 && body() ? 0 : 1);
        }
    }
    child(const child &) = delete;
    child &operator=(const child &) = delete;
    ~child() {
        int status = 1;
        CHECK(write(word_[1], "", 1) == 1 && waitpid(pid_, &status, 0) == pid_);
        CHECK_EQ(status, 0);
        close(word_[0]), close(word_[1]);
    }

  private:
    int word_[2];
    pid_t pid_;
};

void pass_round(const block &from, block &to) {
    CHECK_MPI(MPI_Sendrecv(from.data(), from.size(), MPI_BYTE, right(), 1, to.data(), to.size(), MPI_BYTE,
                           left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

void messages_after_a_fork(std::size_t bytes) {
    block out{bytes}, in{bytes};
    out.fill(own_rank());
    in.fill(-1);
    pass_round(out, in);
    CHECK(in.is_filled(left()));
    {
        const child sees_the_past{[&] {
            const bool right = in.is_filled(left()) && out.is_filled(own_rank());
            in.fill(500), out.fill(501);
            return right;
        }};
        out.fill(own_rank() + 100);
        pass_round(out, in);
        CHECK(in.is_filled(left() + 100));
        block fresh{bytes};
        pass_round(in, fresh);
        CHECK(fresh.is_filled((left() + rank_count() - 1) % rank_count() + 100));
    }
    CHECK(in.is_filled(left() + 100) && out.is_filled(own_rank() + 100));
    out.lengthen(2 * bytes);
    out.fill(own_rank() + 200);
    block longer{2 * bytes};
    pass_round(out, longer);
    CHECK(longer.is_filled(left() + 200));
}

void forks_while_messages_are_under_way(std::size_t bytes) {
    block out{bytes}, in{bytes}, steady{mib};
    steady.fill(7);
    for (int round = 0; round != 6; ++round) {
        out.fill(own_rank() + round);
        in.fill(-1);
        MPI_Request both[2];
        CHECK_MPI(MPI_Irecv(in.data(), in.size(), MPI_BYTE, left(), 2, MPI_COMM_WORLD, &both[0]));
        if (round % 2 == 0) { // else the peer's message may already be there, or half of it
            CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        }
        CHECK_MPI(MPI_Isend(out.data(), out.size(), MPI_BYTE, right(), 2, MPI_COMM_WORLD, &both[1]));
        const child looks{[&] { return steady.is_filled(7) && out.is_filled(own_rank() + round); }};
        const std::vector<double> other(100000, 1.5);
        CHECK_MPI(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
        CHECK(in.is_filled(left() + round) && other.back() == 1.5);
    }
    CHECK(steady.is_filled(7));
}

void a_child_does_not_see_later_messages() {
    block in{mib}, out{mib};
    in.fill(-1);
    out.fill(own_rank());
    MPI_Request receive = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(in.data(), in.size(), MPI_BYTE, left(), 3, MPI_COMM_WORLD, &receive));
    {
        const child untouched{[&] { return in.is_filled(-1); }}; // told to look when all has arrived
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_Send(out.data(), out.size(), MPI_BYTE, right(), 3, MPI_COMM_WORLD));
        CHECK_MPI(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK(in.is_filled(left()));
    }
}

void windows_stay_windows() {
    block memory{mib}, from{mib};
    memory.fill(-1);
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(MPI_Win_create(memory.data(), memory.size(), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    for (int round = 0; round != 3; ++round) {
        from.fill(own_rank() + round);
        CHECK_MPI(MPI_Win_fence(0, window));
        CHECK_MPI(MPI_Put(from.data(), from.size(), MPI_BYTE, right(), 0, from.size(), MPI_BYTE, window));
        CHECK_MPI(MPI_Win_fence(0, window));
        CHECK(memory.is_filled(left() + round));
        const child forked{[&] { return memory.is_filled(left() + round); }};
        block back{mib};
        CHECK_MPI(MPI_Win_fence(0, window));
        CHECK_MPI(MPI_Get(back.data(), back.size(), MPI_BYTE, right(), 0, back.size(), MPI_BYTE, window));
        CHECK_MPI(MPI_Win_fence(0, window));
        CHECK(back.is_filled(own_rank() + round));
    }
    CHECK_MPI(MPI_Win_free(&window));
}

void collectives_go_on() {
    constexpr int count = 300000;
    std::vector<int> give(count), take(count);
    for (int round = 0; round != 4; ++round) {
        std::fill(give.begin(), give.end(), own_rank() + round);
        CHECK_MPI(MPI_Allreduce(give.data(), take.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        const int sum = rank_count() * (rank_count() - 1) / 2 + round * rank_count();
        const auto all_are = [&](int value) {
            return std::all_of(take.begin(), take.end(), [=](int each) { return each == value; });
        };
        CHECK(all_are(sum));
        const child forked{[&] { return all_are(sum); }};
        if (own_rank() == 0) {
            std::fill(take.begin(), take.end(), 40 + round);
        }
        CHECK_MPI(MPI_Bcast(take.data(), count, MPI_INT, 0, MPI_COMM_WORLD));
        CHECK(all_are(40 + round));
        std::vector<int> all(static_cast<std::size_t>(count) * static_cast<std::size_t>(rank_count()));
        CHECK_MPI(MPI_Allgather(give.data(), count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD));
        for (int i = 0; i != rank_count(); ++i) {
            CHECK_EQ(all[static_cast<std::size_t>(i + 1) * count - 1], i + round);
        }
    }
}

void programs_are_started() {
    block out{mib}, in{mib};
    out.fill(own_rank());
    MPI_Request both[2];
    CHECK_MPI(MPI_Irecv(in.data(), in.size(), MPI_BYTE, left(), 4, MPI_COMM_WORLD, &both[0]));
    CHECK_MPI(MPI_Isend(out.data(), out.size(), MPI_BYTE, right(), 4, MPI_COMM_WORLD, &both[1]));
    CHECK_EQ(std::system("exit 3"), 3 << 8);
    FILE *const said = popen("echo something", "r");
    char word[20] = "";
    CHECK(std::fscanf(said, "%19s", word) == 1 && std::string{word} == "something" && pclose(said) == 0);
    CHECK_MPI(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    CHECK(in.is_filled(left()));
}

/// Does something with a round of messages under way, and looks at what came.
void in_a_round(const std::function<void(const block &out)> &meanwhile) {
    block out{mib}, in{mib};
    out.fill(own_rank());
    in.fill(-1);
    MPI_Request both[2];
    CHECK_MPI(MPI_Irecv(in.data(), in.size(), MPI_BYTE, left(), 6, MPI_COMM_WORLD, &both[0]));
    CHECK_MPI(MPI_Isend(out.data(), out.size(), MPI_BYTE, right(), 6, MPI_COMM_WORLD, &both[1]));
    meanwhile(out);
    CHECK_MPI(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    CHECK(in.is_filled(left()) && out.is_filled(own_rank()));
}

/// @return what it ended with
int await(pid_t child) {
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/// As daemons begin: the child's child goes on when the child has ended. Its parent hears of it by a pipe.
void daemons() {
    in_a_round([](const block &out) {
        int said[2];
        CHECK(pipe(said) == 0);
        const pid_t first = fork();
        if (first == 0) {
            setsid();
            if (fork() == 0) {
                const char right = out.is_filled(own_rank()) ? 'y' : 'n';
                std::_Exit(write(said[1], &right, 1) == 1 ? 0 : 1);
            }
            std::_Exit(0);
        }
        CHECK_EQ(await(first), 0);
        char answer = 0;
        CHECK(read(said[0], &answer, 1) == 1 && answer == 'y');
        close(said[0]), close(said[1]);
    });
}

void programs_are_spawned() {
    char name[] = "true";
    char *const words[] = {name, nullptr};
    in_a_round([&](const block &) {
        pid_t spawned = 0;
        CHECK_EQ(posix_spawnp(&spawned, name, nullptr, nullptr, words, environ), 0);
        CHECK_EQ(await(spawned), 0);
        const pid_t borrowed = vfork();
        if (borrowed == 0) {
            execvp(name, words);
            _exit(1);
        }
        CHECK_EQ(await(borrowed), 0);
    });
}

/// The child allocates, lengthens and frees long blocks, also those of its parent, who does the same.
void both_go_on_with_their_memory() {
    block kept{mib}, lengthened{mib};
    kept.fill(1), lengthened.fill(2);
    const auto work = [&](int seed) {
        std::vector<std::unique_ptr<block>> many;
        for (int i = 0; i != 20; ++i) {
            many.push_back(std::make_unique<block>(static_cast<std::size_t>(i + 1) * 100 * kib));
            many.back()->fill(seed + i);
        }
        many.erase(many.begin(), many.begin() + 10);
        lengthened.lengthen(3 * mib);
        lengthened.fill(seed);
        bool right = kept.is_filled(1);
        for (int i = 0; i != 10; ++i) {
            right = right && many[static_cast<std::size_t>(i)]->is_filled(seed + 10 + i);
        }
        auto *const cleared = static_cast<unsigned char *>(std::calloc(mib, 1));
        right = right && std::all_of(cleared, cleared + mib, [](unsigned char each) { return each == 0; });
        std::free(cleared);
        return right && lengthened.is_filled(seed);
    };
    in_a_round([&](const block &) {
        const child other{[&] { return work(300); }};
        CHECK(work(400));
    });
}

/// The parent's blocks are given back before the children look at theirs.
void children_keep_what_the_parent_frees() {
    std::vector<std::unique_ptr<child>> children;
    for (int i = 0; i != 3; ++i) {
        const auto given_back = std::make_unique<block>(mib);
        given_back->fill(i);
        children.push_back(std::make_unique<child>([&] { return given_back->is_filled(i); }));
    }
    in_a_round([](const block &) {});
    children.clear();
}

/// A thread that never calls MPI forks while the rank's own one communicates.
void another_thread_forks() {
    std::thread beside{[] {
        for (int i = 0; i != 4; ++i) {
            block seen{300 * kib};
            seen.fill(i);
            const child looks{[&] { return seen.is_filled(i); }};
        }
    }};
    for (int i = 0; i != 10; ++i) {
        in_a_round([](const block &) {});
    }
    beside.join();
}

/// Of the child's end the parent's job takes no notice, however it comes.
void children_end_as_they_like() {
    in_a_round([](const block &) {
        for (const bool killed : {false, true}) {
            const pid_t made = fork();
            if (made == 0) {
                if (killed) {
                    raise(SIGKILL);
                }
                std::exit(4); // with all that is done at a program's end
            }
            const int status = await(made);
            CHECK(killed ? WIFSIGNALED(status) : WEXITSTATUS(status) == 4);
        }
    });
}

/// Columns of a matrix: the receiver's runs are scattered.
void scattered_receives() {
    constexpr int rows = 512, columns = 600;
    std::vector<double> from(rows * columns), to(rows * columns, 0);
    for (std::size_t i = 0; i != from.size(); ++i) {
        from[i] = static_cast<double>(i) + own_rank();
    }
    MPI_Datatype wide = MPI_DATATYPE_NULL, column = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &wide));
    CHECK_MPI(MPI_Type_create_resized(wide, 0, sizeof(double), &column));
    CHECK_MPI(MPI_Type_free(&wide));
    CHECK_MPI(MPI_Type_commit(&column));
    CHECK_MPI(MPI_Sendrecv(from.data(), rows * columns, MPI_DOUBLE, right(), 5, to.data(), columns, column,
                           left(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (std::size_t row = 0; row != rows; ++row) {
        for (std::size_t at = 0; at != columns; ++at) {
            CHECK_EQ(to[row * columns + at], static_cast<double>(at * rows + row) + left());
        }
    }
    CHECK_MPI(MPI_Type_free(&column));
}

/// What this rank has received by reading the memory of other processes.
unsigned long long read_bytes() {
    static MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    static MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    if (session == MPI_T_PVAR_SESSION_NULL) {
        int provided = 0, index = 0, count = 0;
        CHECK_MPI(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
        CHECK_MPI(MPI_T_pvar_session_create(&session));
        CHECK_MPI(MPI_T_pvar_get_index("lisle_read_bytes", MPI_T_PVAR_CLASS_AGGREGATE, &index));
        CHECK_MPI(MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count));
        CHECK_MPI(MPI_T_pvar_start(session, handle));
    }
    unsigned long long value = 0;
    CHECK_MPI(MPI_T_pvar_read(session, handle, &value));
    return value;
}

/// Where the kernel copies nothing, what is read has been read by address: blocks that were there at a fork
/// are not, new ones are.
void only_new_blocks_are_reached_after_a_fork() {
    static_cast<void>(read_bytes());
    block out{mib}, in{mib};
    out.fill(own_rank());
    const auto passed = [&](const block &from) {
        const auto before = read_bytes();
        pass_round(from, in);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        return read_bytes() - before;
    };
    CHECK_EQ(passed(out), mib);
    CHECK(in.is_filled(left()));
    {
        const child none{[] { return true; }};
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(passed(out), 0u);
    block fresh{mib};
    fresh.fill(own_rank() + 1);
    CHECK_EQ(passed(fresh), mib);
    CHECK(in.is_filled(left() + 1));
}

} // namespace

/// @param argv[1] "by_address" if long blocks are to be reached so, and in no other way
int main(int argc, char **argv) {
    block before{mib};
    before.fill(9);
    const child of_the_time_before{[&] { return before.is_filled(9); }};
    before.fill(10);
    CHECK_MPI(MPI_Init(&argc, &argv));
    if (argc > 1 && std::string{argv[1]} == "by_address") {
        only_new_blocks_are_reached_after_a_fork();
    }
    scattered_receives();
    for (const std::size_t bytes : {8 * kib, 80 * kib, 300 * kib, 2 * mib}) {
        messages_after_a_fork(bytes);
        forks_while_messages_are_under_way(bytes);
    }
    a_child_does_not_see_later_messages();
    windows_stay_windows();
    collectives_go_on();
    programs_are_started();
    programs_are_spawned();
    daemons();
    both_go_on_with_their_memory();
    children_keep_what_the_parent_frees();
    another_thread_forks();
    children_end_as_they_like();
    CHECK_MPI(MPI_Finalize());
    return 0;
}
