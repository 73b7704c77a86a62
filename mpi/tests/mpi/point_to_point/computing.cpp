// SPDX-License-Identifier: Apache-2.0
// Long messages to a rank of another process that has posted its receives and computes: they arrive without
// its help, in the order that matching asks for, whatever both sides do meanwhile. "Computing" is to make no
// call of MPI until the sender says by way of shared memory that its sends are complete: without the feature
// the test would not end.
#include "payload.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using bytes = std::vector<std::byte, test_memory<std::byte>>;

/// Words that both ranks load and store without a call of MPI.
class flags {
  public:
    explicit flags(int rank) {
        void *own = nullptr;
        CHECK_MPI(MPI_Win_allocate_shared(rank == 0 ? sizeof(words) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                          &own, &window_));
        MPI_Aint size = 0;
        int unit = 0;
        void *first = nullptr;
        CHECK_MPI(MPI_Win_shared_query(window_, 0, &size, &unit, &first));
        words_ = static_cast<words *>(first);
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    ~flags() { MPI_Win_free(&window_); }
    flags(const flags &) = delete;
    flags &operator=(const flags &) = delete;

    void say_posted() { ++words_->posted; }
    void say_sent() { ++words_->sent; }
    void await_posted() { await(words_->posted, ++posted_); }
    /// What a rank does that computes.
    void await_sent() { await(words_->sent, ++sent_); }

  private:
    struct words {
        std::atomic<std::uint32_t> posted, sent; // zeroed, like all window memory at first
    };
    static void await(const std::atomic<std::uint32_t> &word, std::uint32_t value) {
        while (word.load() != value)
            std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
    MPI_Win window_ = MPI_WIN_NULL;
    words *words_ = nullptr;
    std::uint32_t posted_ = 0, sent_ = 0;
};

/// Whether the two processes can reach each other's memory: else nothing arrives without the receiver.
bool reaches_peer(int rank) {
    struct {
        long pid;
        std::uint64_t address;
    } own, peers;
    volatile char there = 'x';
    own.pid = getpid();
    own.address = reinterpret_cast<std::uintptr_t>(&there);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    CHECK_MPI(MPI_Sendrecv(&own, sizeof own, MPI_BYTE, 1 - rank, 0, &peers, sizeof peers, MPI_BYTE, 1 - rank,
                           0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    char here = 0;
    const iovec local{&here, 1};
    const iovec remote{reinterpret_cast<void *>(peers.address), 1};
    int both = process_vm_writev(static_cast<pid_t>(peers.pid), &local, 1, &remote, 1, 0) == 1 ? 1 : 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    return both != 0;
}

bytes message(std::size_t size, std::uint64_t seed) {
    bytes made(size);
    fill_random(made.data(), size, seed);
    return made;
}

/// Receives that are posted, of which each knows what it is to get.
class receives {
  public:
    void post(std::size_t room, int tag, std::size_t size, std::uint64_t seed, int source = 0) {
        expected_.push_back({message(size, seed), tag});
        buffers_.emplace_back(room);
        requests_.emplace_back();
        CHECK_MPI(MPI_Irecv(buffers_.back().data(), static_cast<int>(room), MPI_BYTE, source, tag,
                            MPI_COMM_WORLD, &requests_.back()));
    }
    void finish() {
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            MPI_Status status;
            const bytes &wanted = expected_[i].first;
            const int error = MPI_Wait(&requests_[i], &status);
            const bool is_cut = wanted.size() > buffers_[i].size();
            CHECK_EQ(check::error_class(error), is_cut ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
            int count = 0;
            CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
            CHECK_EQ(static_cast<std::size_t>(count), std::min(wanted.size(), buffers_[i].size()));
            CHECK_EQ(status.MPI_SOURCE, 0);
            CHECK_EQ(status.MPI_TAG, expected_[i].second);
            CHECK(std::equal(buffers_[i].begin(), buffers_[i].begin() + count, wanted.begin()));
        }
        requests_.clear();
        buffers_.clear();
        expected_.clear();
    }

  private:
    std::deque<bytes> buffers_;
    std::deque<MPI_Request> requests_;
    std::deque<std::pair<bytes, int>> expected_; ///< contents and tag
};

void send(const bytes &data, int tag, bool synchronous) {
    (synchronous ? MPI_Ssend : MPI_Send)(data.data(), static_cast<int>(data.size()), MPI_BYTE, 1, tag,
                                         MPI_COMM_WORLD);
}

/// Blocking and non-blocking sends end while the receiver computes.
void arrives_alone(int rank, flags &both) {
    constexpr std::array<std::size_t, 3> sizes{262145, 300000, 1000003};
    for (const std::size_t size : sizes) {
        if (rank == 1) {
            receives in;
            for (int tag = 0; tag < 4; ++tag)
                in.post(size, tag, size, size + static_cast<std::uint64_t>(tag));
            in.post(size, 0, size - 1, 77); // as the first one, and the next for its messages
            in.post(size - 1, 4, size, 78);
            both.say_posted();
            both.await_sent();
            in.finish();
        } else {
            both.await_posted();
            const bytes first = message(size, size + 2), second = message(size, size);
            MPI_Request requests[2];
            CHECK_MPI(
                MPI_Isend(first.data(), static_cast<int>(size), MPI_BYTE, 1, 2, MPI_COMM_WORLD, requests));
            CHECK_MPI(MPI_Send_init(second.data(), static_cast<int>(size), MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                                    requests + 1));
            CHECK_MPI(MPI_Start(requests + 1));
            CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK_MPI(MPI_Request_free(requests + 1));
            send(message(size - 1, 77), 0, true);
            send(message(size, size + 3), 3, false);
            send(message(size, size + 1), 1, true);
            send(message(size, 78), 4, true);
            both.say_sent();
        }
    }
}

/// What stands before a message in the order of its sender, or before a receive in that of its rank.
void keeps_order(int rank, flags &both) {
    constexpr std::size_t size = 300000;
    for (int round = 0; round < 8; ++round) {
        if (rank == 1) {
            receives in;
            if (round % 2 == 1)
                in.post(size, 5, 8, 1, MPI_ANY_SOURCE); // takes what the next would, and comes first
            else
                in.post(size, 5, 8, 1); // gets a short message, which lies in the mailbox
            in.post(size, 5, size, 2);
            in.post(size, 6, size, 3);
            in.post(size, 5, size, 4);
            both.say_posted();
            both.await_sent();
            in.finish();
        } else {
            both.await_posted();
            const bytes two = message(size, 2), three = message(size, 3), four = message(size, 4);
            send(message(8, 1), 5, false);
            std::array<MPI_Request, 3> requests{};
            const auto start = [&requests](std::size_t which, const bytes &data, int tag) {
                CHECK_MPI(MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, 1, tag,
                                    MPI_COMM_WORLD, &requests[which]));
            };
            start(0, two, 5);
            start(1, three, 6);
            start(2, four, 5);
            both.say_sent();
            CHECK_MPI(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE));
        }
    }
}

/// A receive that is taken back got its message or none.
void ends_cancelled(int rank, flags &both, bool is_reached) {
    constexpr std::size_t size = 270000;
    for (int round = 0; round < 20; ++round) {
        const bytes data = message(size, static_cast<std::uint64_t>(round));
        if (rank == 1) {
            bytes first(size), second(size);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Status status;
            CHECK_MPI(MPI_Irecv(first.data(), size, MPI_BYTE, 0, 9, MPI_COMM_WORLD, &request));
            both.say_posted();
            if (is_reached && round % 2 == 0)
                both.await_sent();
            CHECK_MPI(MPI_Cancel(&request));
            CHECK_MPI(MPI_Wait(&request, &status));
            int was_cancelled = 0;
            CHECK_MPI(MPI_Test_cancelled(&status, &was_cancelled));
            if (was_cancelled != 0)
                CHECK_MPI(MPI_Recv(second.data(), size, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK((was_cancelled != 0 ? second : first) == data);
            if (is_reached && round % 2 == 0)
                CHECK_EQ(was_cancelled, 0); // it was there
            else
                both.await_sent();
        } else {
            both.await_posted();
            send(data, 9, true);
            both.say_sent();
        }
    }
}

// ---- at random ----

constexpr int tags = 4; ///< messages with the last one are received from any source
constexpr int wild_tag = tags - 1;
constexpr std::size_t most_words = 120000;

/// Sends every other rank as many messages with each tag, in any order.
class random_sends {
  public:
    random_sends(int rank, int size, int each, std::uint64_t seed)
        : random_{seed * 7 + static_cast<std::uint64_t>(rank)} {
        for (int to = 0; to < size; ++to)
            for (int tag = 0; tag < tags; ++tag)
                left_.insert(left_.end(), static_cast<std::size_t>(to != rank ? each : 0), {to, tag});
    }
    void send_one() {
        if (left_.empty() || requests_.size() == 16)
            return;
        std::swap(left_[random_.below(left_.size())], left_.back());
        const auto [to, tag] = left_.back();
        left_.pop_back();
        const std::size_t words = random_.below(3) == 0 ? 2 : 2 + random_.below(most_words - 2);
        auto &data = buffers_.emplace_back(words, tag * 1000);
        data.front() = numbers_[{to, tag}]++;
        data.back() = data.front() + 1;
        const auto start = random_.below(4) == 0 ? MPI_Issend : MPI_Isend;
        CHECK_MPI(start(data.data(), static_cast<int>(words), MPI_INT, to, tag, MPI_COMM_WORLD,
                        &requests_.emplace_back()));
    }
    void test() {
        int done = 0;
        if (!requests_.empty())
            CHECK_MPI(MPI_Test(&requests_.front(), &done, MPI_STATUS_IGNORE));
        if (done != 0) {
            requests_.pop_front();
            buffers_.pop_front();
        }
    }
    [[nodiscard]] bool done() const { return left_.empty() && requests_.empty(); }

  private:
    random_numbers random_;
    std::vector<std::pair<int, int>> left_; ///< receiver and tag of each message
    std::map<std::pair<int, int>, int> numbers_;
    std::deque<std::vector<int, test_memory<int>>> buffers_;
    std::deque<MPI_Request> requests_;
};

/// Receives them, in any order, and takes receives back now and then.
class random_receives {
  public:
    random_receives(int rank, int size, int each, std::uint64_t seed)
        : random_{seed * 31 + static_cast<std::uint64_t>(rank)}, each_{each} {
        for (int from = 0; from < size; ++from)
            for (int tag = 0; tag < tags; ++tag)
                left_.insert(left_.end(), static_cast<std::size_t>(from != rank ? each : 0), {from, tag});
    }
    void post_one() {
        if (left_.empty() || posted_.size() == 24)
            return;
        std::swap(left_[random_.below(left_.size())], left_.back());
        posted &made = posted_.emplace_back();
        made.from = left_.back().first;
        made.tag = left_.back().second;
        made.order = next_order_++;
        left_.pop_back();
        made.data.assign(most_words, -1);
        CHECK_MPI(MPI_Irecv(made.data.data(), static_cast<int>(most_words), MPI_INT,
                            made.tag == wild_tag ? MPI_ANY_SOURCE : made.from, made.tag, MPI_COMM_WORLD,
                            &made.request));
    }
    void test() {
        for (auto each = posted_.begin(); each != posted_.end();) {
            int done = 0;
            MPI_Status status;
            if (random_.below(40) == 0)
                CHECK_MPI(MPI_Cancel(&each->request));
            CHECK_MPI(MPI_Test(&each->request, &done, &status));
            if (done != 0)
                note(*each, status);
            each = done != 0 ? posted_.erase(each) : std::next(each);
        }
    }
    [[nodiscard]] bool done() const { return left_.empty() && posted_.empty(); }
    /// Messages of one sender with one tag were received in the order of the receives.
    void check_order() const {
        for (const auto &[kind, by_order] : received_) {
            CHECK_EQ(by_order.size(), static_cast<std::size_t>(each_));
            int next = 0;
            for (const auto &[order, number] : by_order)
                CHECK_EQ(number, next++);
        }
    }

  private:
    struct posted {
        std::vector<int, test_memory<int>> data;
        MPI_Request request = MPI_REQUEST_NULL;
        int from = 0, tag = 0, order = 0;
    };
    void note(const posted &ended, const MPI_Status &status) {
        int cancelled = 0, count = 0;
        CHECK_MPI(MPI_Test_cancelled(&status, &cancelled));
        if (cancelled != 0) {
            left_.emplace_back(ended.from, ended.tag);
            return;
        }
        CHECK_EQ(status.MPI_TAG, ended.tag);
        CHECK(ended.tag == wild_tag || status.MPI_SOURCE == ended.from);
        CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
        const auto end = ended.data.begin() + count;
        CHECK(count >= 2 && *(end - 1) == ended.data.front() + 1);
        CHECK(
            std::all_of(ended.data.begin() + 1, end - 1, [&](int word) { return word == ended.tag * 1000; }));
        CHECK(std::all_of(end, ended.data.end(), [](int word) { return word == -1; }));
        received_[{status.MPI_SOURCE, ended.tag}][ended.order] = ended.data.front();
    }

    random_numbers random_;
    int each_;
    std::vector<std::pair<int, int>> left_; ///< sender and tag of what no receive is posted for
    std::deque<posted> posted_;
    int next_order_ = 0;
    std::map<std::pair<int, int>, std::map<int, int>> received_; ///< numbers, by sender and tag, by receive
};

void goes_at_random(int rank, int size, std::uint64_t seed) {
    constexpr int each = 12;
    random_sends out{rank, size, each, seed};
    random_receives in{rank, size, each, seed};
    random_numbers random{seed * 101 + static_cast<std::uint64_t>(rank)};
    volatile double sink = 1;
    while (!out.done() || !in.done()) {
        switch (random.below(6)) {
        case 0:
        case 1:
            in.post_one();
            break;
        case 2:
            out.send_one();
            break;
        case 3:
            out.test();
            break;
        case 4:
            in.test();
            break;
        default:
            for (int left = random.below(50000); left != 0; --left)
                sink = sink * 1.0000001;
        }
    }
    in.check_order();
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (job.size == 2) {
        const bool is_reached = reaches_peer(job.rank);
        flags both{job.rank};
        if (is_reached)
            arrives_alone(job.rank, both);
        keeps_order(job.rank, both);
        ends_cancelled(job.rank, both, is_reached);
    }
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        goes_at_random(job.rank, job.size, seed);
    return 0;
}
