// SPDX-License-Identifier: Apache-2.0
// Messages of one sender stay in order, whatever their lengths: a network may bring a short one sooner than a
// longer one that was sent before it. All ranks send to all others at once, and receive in every way: from
// one rank and from any, with a tag and with any, with a probe before it. The argument is the number of
// messages to each rank.
#include "check.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int tags = 3;
constexpr std::size_t longest = 200'000;

/// Lengths around each limit where messages begin to go in another way, in no order.
std::size_t length_of(int from, int to, int number) {
    constexpr std::array<std::size_t, 12> some{8,      32,     100,    1000,   4096,   16'000,
                                               16'500, 40'000, 65'000, 65'536, 70'000, longest};
    std::minstd_rand random{static_cast<unsigned>((from * 31 + to) * 100'003 + number)};
    random.discard(3);
    return number % 2 == 0 ? 8 + random() % 100 : some[random() % some.size()];
}
int tag_of(int number) {
    return number % 7 % tags;
}

struct head {
    int from, number;
};

/// The last byte tells whether the message is whole.
char end_of(int from, int number) {
    return static_cast<char>(from * 41 + number);
}

class receiver {
  public:
    receiver(int rank, int size, int count)
        : rank_{rank}, count_{count}, next_(static_cast<std::size_t>(size * tags), -1) {
        for (int from = 0; from != size; ++from)
            for (int tag = 0; tag != tags; ++tag)
                advance(from, tag);
    }

    /// One message, from `from` or any rank, of `tag` or any.
    void receive(int from, int tag, bool probes) {
        std::vector<char> in(longest);
        MPI_Status status;
        if (probes) {
            MPI_Message message;
            CHECK_MPI(MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, &status));
            CHECK_MPI(MPI_Mrecv(in.data(), static_cast<int>(longest), MPI_BYTE, &message, &status));
        } else {
            CHECK_MPI(
                MPI_Recv(in.data(), static_cast<int>(longest), MPI_BYTE, from, tag, MPI_COMM_WORLD, &status));
        }
        check(in, status, tag == MPI_ANY_TAG);
    }

    void check(const std::vector<char> &in, const MPI_Status &status, bool any_tag) {
        head got{};
        std::memcpy(&got, in.data(), sizeof got);
        int bytes = 0;
        CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
        const std::size_t length = length_of(got.from, rank_, got.number);
        CHECK_EQ(got.from, status.MPI_SOURCE);
        CHECK_EQ(status.MPI_TAG, tag_of(got.number));
        CHECK_EQ(static_cast<std::size_t>(bytes), length);
        if (length > sizeof got)
            CHECK_EQ(in[length - 1], end_of(got.from, got.number));
        // The next one of its tag; where the receive takes any tag, of all tags.
        CHECK_EQ(got.number, next(got.from, status.MPI_TAG));
        if (any_tag)
            for (int tag = 0; tag != tags; ++tag)
                CHECK(next(got.from, tag) >= got.number);
        advance(got.from, status.MPI_TAG);
    }

    [[nodiscard]] bool has_more(int from, int tag) { return next(from, tag) < count_; }

  private:
    int &next(int from, int tag) { return next_[static_cast<std::size_t>(from * tags + tag)]; }
    void advance(int from, int tag) {
        int &number = next(from, tag);
        do
            ++number;
        while (number < count_ && tag_of(number) != tag);
    }

    int rank_, count_;
    std::vector<int> next_; ///< by sender and tag
};

class sender {
  public:
    sender(int rank, int count) : rank_{rank}, count_{count} {}

    /// The next messages to each other rank.
    void send_some(int size, int messages) {
        for (; messages != 0 && sent_ != count_; --messages, ++sent_)
            for (int to = 0; to != size; ++to)
                if (to != rank_)
                    send(to);
    }
    void finish() {
        CHECK_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
        requests_.clear();
        buffers_.clear();
    }

  private:
    void send(int to) {
        std::vector<char> &out = buffers_.emplace_back(length_of(rank_, to, sent_));
        out.back() = end_of(rank_, sent_);
        const head what{rank_, sent_};
        std::memcpy(out.data(), &what, sizeof what);
        requests_.emplace_back();
        CHECK_MPI((sent_ % 11 == 5 ? MPI_Issend : MPI_Isend)(out.data(), static_cast<int>(out.size()),
                                                             MPI_BYTE, to, tag_of(sent_), MPI_COMM_WORLD,
                                                             &requests_.back()));
    }

    int rank_, count_, sent_ = 0;
    std::vector<std::vector<char>> buffers_;
    std::vector<MPI_Request> requests_;
};

/// The same messages, received in one way after the other.
void exchange(int rank, int size, int count, int way) {
    constexpr int at_a_time = 20;
    sender out{rank, count};
    receiver in{rank, size, count};
    for (int first = 0; first < count; first += at_a_time) {
        const int messages = std::min(at_a_time, count - first);
        out.send_some(size, messages);
        for (int number = first; number != first + messages; ++number)
            for (int from = 0; from != size; ++from)
                if (from != rank)
                    switch (way) {
                    case 0:
                        in.receive(from, tag_of(number), number % 5 == 0);
                        break;
                    case 1:
                        in.receive(from, MPI_ANY_TAG, number % 5 == 0);
                        break;
                    default:
                        in.receive(MPI_ANY_SOURCE, MPI_ANY_TAG, number % 5 == 0);
                    }
        out.finish();
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); // else any source may be one that is ahead
    }
    for (int from = 0; from != size; ++from)
        for (int tag = 0; tag != tags && from != rank; ++tag)
            CHECK(!in.has_more(from, tag));
}

/// Many receives that are posted before, of which the short ones must not take what is due to the long ones.
void exchange_posted(int rank, int size, int count) {
    const int partner = rank ^ 1;
    if (partner >= size)
        return;
    sender out{rank, count};
    receiver in{rank, size, count};
    std::vector<std::vector<char>> buffers(static_cast<std::size_t>(count), std::vector<char>(longest));
    std::vector<MPI_Request> requests(buffers.size());
    std::vector<MPI_Status> statuses(buffers.size());
    for (std::size_t at = 0; at != buffers.size(); ++at)
        CHECK_MPI(MPI_Irecv(buffers[at].data(), static_cast<int>(longest), MPI_BYTE,
                            at % 3 == 0 ? partner : MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                            &requests[at]));
    for (int sent = 0; sent != count; ++sent) {
        const std::size_t bytes = length_of(rank, partner, sent);
        std::vector<char> message(bytes, end_of(rank, sent));
        const head what{rank, sent};
        std::memcpy(message.data(), &what, sizeof what);
        CHECK_MPI(MPI_Send(message.data(), static_cast<int>(bytes), MPI_BYTE, partner, tag_of(sent),
                           MPI_COMM_WORLD));
    }
    CHECK_MPI(MPI_Waitall(count, requests.data(), statuses.data()));
    for (std::size_t at = 0; at != buffers.size(); ++at)
        in.check(buffers[at], statuses[at], true);
}

} // namespace

int main(int argc, char **argv) {
    CHECK_MPI(MPI_Init(&argc, &argv));
    int rank = 0, size = 0;
    CHECK_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &size));
    const int count = argc > 1 ? std::atoi(argv[1]) : 400;
    for (int way = 0; way != 3; ++way)
        exchange(rank, size, count, way);
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    exchange_posted(rank, size, std::min(count, 100));
    CHECK_MPI(MPI_Finalize());
    return 0;
}
