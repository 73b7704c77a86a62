// SPDX-License-Identifier: Apache-2.0
// What the allocation functions promise, with blocks on both sides of the length from which on the preloaded
// allocator takes them, and what a fork promises of them. Knows nothing of the allocator: it runs without,
// too.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <malloc.h>
#include <memory>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using bytes = unsigned char;
constexpr std::size_t kib = 1024, mib = 1024 * kib;

[[noreturn]] void fail(const char *what, int line) {
    std::fprintf(stderr, "line %d: %s does not hold\n", line, what);
    std::_Exit(1);
}
#define CHECK(condition) ((condition) ? void() : fail(#condition, __LINE__))

void fill(void *block, std::size_t size, unsigned seed) {
    auto *const words = static_cast<std::uint32_t *>(block);
    for (std::size_t i = 0; i != size / 4; ++i) {
        words[i] = static_cast<std::uint32_t>(i * 2654435761u + seed);
    }
}
bool is_filled(const void *block, std::size_t size, unsigned seed) {
    const auto *const words = static_cast<const std::uint32_t *>(block);
    for (std::size_t i = 0; i != size / 4; ++i) {
        if (words[i] != static_cast<std::uint32_t>(i * 2654435761u + seed)) {
            return false;
        }
    }
    return true;
}
bool is_zero(const void *block, std::size_t size) {
    const auto *const all = static_cast<const bytes *>(block);
    return std::all_of(all, all + size, [](bytes each) { return each == 0; });
}

/// Memory of the process in bytes: private, and of files that have no name.
std::size_t resident() {
    std::unique_ptr<FILE, int (*)(FILE *)> file{std::fopen("/proc/self/statm", "r"), &std::fclose};
    long all = 0, in_memory = 0;
    CHECK(std::fscanf(file.get(), "%ld %ld", &all, &in_memory) == 2);
    return static_cast<std::size_t>(in_memory) * 4096;
}

/// Whether a block lies in a file without a name: the preloaded allocator's.
bool is_shared(const void *block) {
    std::unique_ptr<FILE, int (*)(FILE *)> file{std::fopen("/proc/self/maps", "r"), &std::fclose};
    char line[500];
    while (std::fgets(line, sizeof line, file.get()) != nullptr) {
        unsigned long begin = 0, end = 0;
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        char use[5] = "";
        if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, use) == 3 && address >= begin && address < end) {
            return use[3] == 's' && std::strstr(line, "lisle-malloc") != nullptr;
        }
    }
    return false;
}

/// The child's answer: true if `body` says so there.
bool in_child(const std::function<bool()> &body, pid_t (*make)() = &fork) {
    const pid_t child = make();
    CHECK(child >= 0);
    if (child == 0) {
        std::_Exit(body() ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return status == 0;
}

// ---- allocation ----

void reuse_is_zeroed_by_calloc() {
    for (const std::size_t size : {60 * kib, 64 * kib, 100 * kib, 3 * mib, 40 * mib}) {
        for (int round = 0; round != 3; ++round) {
            void *const dirty = std::malloc(size);
            std::memset(dirty, 0xff, size);
            std::free(dirty);
            void *const block = std::calloc(size / 8, 8);
            CHECK(block != nullptr && is_zero(block, size));
            std::free(block);
        }
    }
    errno = 0;
    volatile std::size_t much = SIZE_MAX / 2;
    CHECK(std::calloc(much, 4) == nullptr && errno == ENOMEM);
    CHECK(reallocarray(nullptr, much, 4) == nullptr && errno == ENOMEM);
    CHECK(std::malloc(much) == nullptr && errno == ENOMEM);
}

void resizing_keeps_what_was_there() {
    void *block = std::malloc(kib);
    std::size_t had = kib;
    fill(block, had, 7);
    std::vector<void *> between;
    for (const std::size_t size : {63 * kib, 64 * kib, 200 * kib, 5 * mib, 5 * mib + 4096, 50 * mib, 4 * mib,
                                   65 * kib, 64 * kib, 30 * kib, 700 * kib, 8 * kib}) {
        block = std::realloc(block, size);
        CHECK(block != nullptr && malloc_usable_size(block) >= size);
        CHECK(is_filled(block, std::min(had, size), 7));
        fill(block, size, 7);
        had = size;
        between.push_back(std::malloc(80 * kib));
    }
    std::free(block);
    for (void *const each : between) {
        std::free(each);
    }
    block = nullptr;
    for (std::size_t size = 32 * kib; size <= 24 * mib; size += 256 * kib) {
        block = std::realloc(block, size);
        static_cast<bytes *>(block)[size - 1] = 1;
    }
    std::free(block);
}

void blocks_are_aligned() {
    for (const std::size_t alignment :
         {std::size_t{8}, std::size_t{64}, 4 * kib, 64 * kib, 2 * mib, 8 * mib}) {
        for (const std::size_t size : {std::size_t{100}, 64 * kib, 65 * kib, 3 * mib}) {
            void *block = nullptr;
            CHECK(posix_memalign(&block, alignment, size) == 0);
            CHECK(reinterpret_cast<std::uintptr_t>(block) % alignment == 0);
            void *const again = memalign(alignment, size);
            CHECK(reinterpret_cast<std::uintptr_t>(again) % alignment == 0);
            void *const third = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
            CHECK(reinterpret_cast<std::uintptr_t>(third) % alignment == 0);
            fill(block, size, 1), fill(again, size, 2), fill(third, size, 3);
            CHECK(is_filled(block, size, 1) && is_filled(again, size, 2) && is_filled(third, size, 3));
            std::free(again), std::free(block), std::free(third);
        }
    }
    void *block = nullptr;
    CHECK(posix_memalign(&block, 24, 100 * kib) == EINVAL && posix_memalign(&block, 4, 100 * kib) == EINVAL);
    for (void *const each : {valloc(70 * kib), pvalloc(70 * kib)}) {
        CHECK(reinterpret_cast<std::uintptr_t>(each) % 4096 == 0);
        std::free(each);
    }
    auto whole = std::make_unique<double[]>(mib);
    struct alignas(128) line {
        char room[128 * 1024];
    };
    auto aligned = std::make_unique<line>();
    CHECK(reinterpret_cast<std::uintptr_t>(aligned.get()) % 128 == 0 && whole[mib - 1] == 0);
}

void freed_memory_is_given_back() {
    const std::size_t before = resident();
    constexpr std::size_t size = 100 * mib;
    void *const large = std::malloc(size);
    std::memset(large, 1, size);
    CHECK(resident() > before + 90 * mib);
    std::free(large);
    CHECK(resident() < before + 10 * mib);
    std::vector<void *> many;
    for (int i = 0; i != 100; ++i) {
        many.push_back(std::malloc(2 * mib));
        std::memset(many.back(), 1, 2 * mib);
    }
    for (void *const each : many) {
        std::free(each);
    }
    CHECK(resident() < before + 90 * mib);
}

/// A random load of blocks, each of which knows what it holds.
void churn(unsigned seed, int steps, std::vector<void *> *left = nullptr) {
    struct held {
        void *block;
        std::size_t size;
        unsigned seed;
    };
    std::mt19937 random{seed};
    std::vector<held> all;
    for (int step = 0; step != steps; ++step) {
        const std::size_t size = 4 * (1 + random() % (random() % 4 == 0 ? 300 * kib : 40 * kib));
        if (all.size() < 20 || random() % 2 == 0) {
            void *const block =
                random() % 3 != 0 ? std::malloc(size) : memalign(1u << (4 + random() % 14), size);
            all.push_back({block, size, static_cast<unsigned>(random())});
            fill(block, size, all.back().seed);
            continue;
        }
        held &one = all[random() % all.size()];
        CHECK(is_filled(one.block, one.size, one.seed));
        if (random() % 3 == 0) {
            one.block = std::realloc(one.block, size);
            CHECK(is_filled(one.block, std::min(size, one.size), one.seed));
            one.size = size;
            fill(one.block, size, one.seed);
            continue;
        }
        std::free(one.block);
        one = all.back();
        all.pop_back();
    }
    for (const held &each : all) {
        CHECK(is_filled(each.block, each.size, each.seed));
        left != nullptr ? left->push_back(each.block) : std::free(each.block);
    }
}

void threads_allocate_at_once() {
    std::vector<std::vector<void *>> left(4);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i != 4; ++i) {
        threads.emplace_back([i, &left] { churn(i, 200, &left[i]); });
    }
    for (auto &each : threads) {
        each.join();
    }
    for (const auto &blocks : left) { // another thread frees them
        for (void *const each : blocks) {
            std::free(each);
        }
    }
}

// ---- forks ----

void both_have_their_own_after(pid_t (*make)()) {
    constexpr std::size_t size = 3 * mib;
    auto *const block = static_cast<bytes *>(std::malloc(size));
    auto *const untouched = static_cast<bytes *>(std::calloc(1, 8 * mib));
    untouched[5 * mib] = 5;
    fill(block, size, 1);
    int to_child[2], to_parent[2];
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    char word = 0;
    const pid_t child = make();
    CHECK(child >= 0);
    if (child == 0) {
        // The parent has written to all of it by now, and has freed and taken other memory.
        CHECK(read(to_child[0], &word, 1) == 1);
        CHECK(is_filled(block, size, 1) && untouched[5 * mib] == 5 && untouched[7 * mib] == 0);
        fill(block, size, 3);
        void *const own = std::malloc(2 * mib);
        fill(own, 2 * mib, 4);
        CHECK(write(to_parent[1], &word, 1) == 1 && read(to_child[0], &word, 1) == 1);
        CHECK(is_filled(block, size, 3) && is_filled(own, 2 * mib, 4));
        CHECK(in_child([&] { // a grandchild, while both live
            fill(own, 2 * mib, 9);
            fill(block, size, 10);
            std::free(own);
            return is_filled(block, size, 10);
        }));
        CHECK(is_filled(block, size, 3) && is_filled(own, 2 * mib, 4));
        void *const longer = std::realloc(own, 4 * mib);
        CHECK(is_filled(longer, 2 * mib, 4));
        std::free(block), std::free(longer);
        churn(3, 100);
        std::_Exit(0);
    }
    fill(block, size, 2);
    untouched[7 * mib] = 7;
    std::vector<void *> others;
    for (int i = 0; i != 4; ++i) {
        others.push_back(std::malloc(mib));
        fill(others.back(), mib, 5);
    }
    CHECK(write(to_child[1], &word, 1) == 1 && read(to_parent[0], &word, 1) == 1);
    CHECK(is_filled(block, size, 2) && untouched[5 * mib] == 5 && untouched[7 * mib] == 7);
    for (void *const each : others) {
        CHECK(is_filled(each, mib, 5));
        std::free(each);
    }
    std::free(untouched);
    CHECK(write(to_child[1], &word, 1) == 1);
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(is_filled(block, size, 2));
    auto *const longer = static_cast<bytes *>(std::realloc(block, 2 * size));
    CHECK(is_filled(longer, size, 2));
    std::free(longer);
    for (const int each : {to_child[0], to_child[1], to_parent[0], to_parent[1]}) {
        close(each);
    }
}

void programs_are_started() {
    constexpr std::size_t size = 5 * mib;
    void *const block = std::malloc(size);
    fill(block, size, 1);
    CHECK(std::system("exit 3") == 3 << 8);
    FILE *const said = popen("echo something", "r");
    char word[20] = "";
    CHECK(std::fscanf(said, "%19s", word) == 1 && std::string{word} == "something" && pclose(said) == 0);
    char name[] = "true";
    char *arguments[] = {name, nullptr};
    pid_t child = 0;
    int status = 1;
    CHECK(posix_spawnp(&child, "true", nullptr, nullptr, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(in_child([&] { return execlp("true", "true", nullptr) == 0; }));
    CHECK((child = vfork()) >= 0);
    if (child == 0) {
        execlp("true", "true", nullptr);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(is_filled(block, size, 1));
    std::free(block);
}

void a_fork_is_one_moment_for_all_threads() {
    // Of two cells the first is always written before the second. A child may see neither, the first or both.
    constexpr std::size_t cells = 16 * mib / 8;
    auto *const block = static_cast<std::uint64_t *>(std::calloc(cells, 8));
    std::atomic<bool> ended{false};
    std::thread writer{[&] {
        for (std::uint64_t round = 1; !ended.load(); ++round) {
            __atomic_store_n(&block[0], round, __ATOMIC_SEQ_CST);
            __atomic_store_n(&block[cells - 1], round, __ATOMIC_SEQ_CST);
        }
    }};
    for (int i = 0; i != 10; ++i) {
        std::memset(block + 512, i, (cells - 1024) * 8);
        CHECK(in_child([&] {
            const std::uint64_t second = block[cells - 1], first = block[0];
            return first == second || first == second + 1;
        }));
    }
    ended = true;
    writer.join();
    CHECK(block[0] == block[cells - 1]);
    std::free(block);
}

void protections_stay() {
    auto *const block = static_cast<bytes *>(valloc(mib));
    fill(block, mib, 1);
    CHECK(mprotect(block + 64 * kib, 4096, PROT_NONE) == 0 &&
          mprotect(block + 256 * kib, 8192, PROT_READ) == 0);
    const auto hit = [&](std::size_t at) {
        const pid_t child = fork();
        if (child == 0) {
            *static_cast<volatile bytes *>(block + at) = 1;
            std::_Exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
    };
    CHECK(hit(64 * kib) && hit(256 * kib) && !hit(0) && hit(64 * kib) && hit(256 * kib + 4096));
    CHECK(mprotect(block, mib, PROT_READ | PROT_WRITE) == 0 && is_filled(block, mib, 1));
    std::free(block);
}

void descriptors_may_be_closed() {
    constexpr std::size_t size = 2 * mib;
    void *const block = std::malloc(size);
    fill(block, size, 1);
    CHECK(in_child([&] { // as daemons do
        closefrom(3);
        const int mine = open("/dev/null", O_RDWR);
        void *const other = std::malloc(size);
        fill(other, size, 2);
        const bool apart = in_child([&] {
            fill(block, size, 3);
            fill(other, size, 4);
            return true;
        });
        return apart && is_filled(block, size, 1) && is_filled(other, size, 2) && write(mine, "", 1) == 1;
    }));
    closefrom(3);
    const int mine = open("/dev/null", O_RDWR);
    void *const other = std::malloc(size);
    fill(other, size, 2);
    CHECK(in_child([&] {
        fill(block, size, 3);
        fill(other, size, 4);
        return true;
    }));
    CHECK(is_filled(block, size, 1) && is_filled(other, size, 2) && write(mine, "", 1) == 1);
    std::free(block), std::free(other);
    churn(5, 200);
}

void forking_takes_no_second_copy() {
    constexpr std::size_t size = 60 * mib;
    const std::size_t before = resident();
    void *const block = std::malloc(size);
    for (int round = 0; round != 3; ++round) {
        fill(block, size, 1);
        CHECK(in_child([] { return true; }));
        CHECK(is_filled(block, size, 1));
    }
    CHECK(resident() < before + size + 20 * mib);
    std::free(block);
    CHECK(resident() < before + 20 * mib);
}

} // namespace

/// @param argv[1] "shared" if long blocks are to be shared, "private" if none is
int main(int, char **argv) {
    const bool shared = std::string{argv[1]} == "shared";
    for (const std::size_t size : {60 * kib, 64 * kib, 5 * mib}) {
        void *const block = std::malloc(size);
        CHECK(is_shared(block) == (shared && size >= 64 * kib));
        CHECK(!in_child([&] { return is_shared(block); }));
        void *const after = std::malloc(size);
        CHECK(is_shared(after) == (shared && size >= 64 * kib));
        std::free(block), std::free(after);
    }
    reuse_is_zeroed_by_calloc();
    resizing_keeps_what_was_there();
    blocks_are_aligned();
    freed_memory_is_given_back();
    churn(1, 700);
    threads_allocate_at_once();
    for (int round = 0; round != 3; ++round) {
        both_have_their_own_after(&fork);
        both_have_their_own_after(&_Fork);
    }
    forking_takes_no_second_copy();
    programs_are_started();
    a_fork_is_one_moment_for_all_threads();
    protections_stay();
    descriptors_may_be_closed();
    std::puts("as without");
    return 0;
}
