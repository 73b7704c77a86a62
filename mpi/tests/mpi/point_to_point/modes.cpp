// SPDX-License-Identifier: Apache-2.0
// Messages round the ring of ranks in every mode, every way to start and complete, every mixture of
// contiguous and strided buffers, and many sizes: contents and guard bytes are checked each time.
// Use: modes [MiB]   (with a number: few ways, messages of up to so many MiB)
#include "payload.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

enum class send_mode { standard, synchronous, buffered, ready };
constexpr std::array<const char *, 4> mode_names{"standard", "synchronous", "buffered", "ready"};
/// chain: blocking calls on both sides, so some messages come before their receive and some after.
/// posted: blocking send to a receive that has been started; then both non-blocking; then both persistent.
enum class style { chain, posted, nonblocking, persistent };
constexpr std::array<const char *, 4> style_names{"chain", "posted", "nonblocking", "persistent"};

constexpr int data_tag = 11;
constexpr int token_tag = 12;

/// A message's form in memory: one block, or blocks of 7 bytes every 11.
struct form {
    bool strided;
    std::size_t bytes;

    [[nodiscard]] guarded_buffer buffer() const {
        return strided ? guarded_buffer(bytes / 7, 7, 11) : guarded_buffer(bytes);
    }
    [[nodiscard]] MPI_Datatype type() const {
        if (!strided)
            return MPI_BYTE;
        MPI_Datatype vector = MPI_DATATYPE_NULL;
        CHECK_MPI(MPI_Type_vector(static_cast<int>(bytes / 7), 7, 11, MPI_BYTE, &vector));
        CHECK_MPI(MPI_Type_commit(&vector));
        return vector;
    }
    [[nodiscard]] int count() const { return strided ? 1 : static_cast<int>(bytes); }
    static void release(MPI_Datatype type) {
        if (type != MPI_BYTE)
            CHECK_MPI(MPI_Type_free(&type));
    }
};

void send(send_mode mode, const void *data, int count, MPI_Datatype type, int dest) {
    switch (mode) {
    case send_mode::standard:
        return CHECK_MPI(MPI_Send(data, count, type, dest, data_tag, MPI_COMM_WORLD));
    case send_mode::synchronous:
        return CHECK_MPI(MPI_Ssend(data, count, type, dest, data_tag, MPI_COMM_WORLD));
    case send_mode::buffered:
        return CHECK_MPI(MPI_Bsend(data, count, type, dest, data_tag, MPI_COMM_WORLD));
    case send_mode::ready:
        return CHECK_MPI(MPI_Rsend(data, count, type, dest, data_tag, MPI_COMM_WORLD));
    }
}

MPI_Request start_send(send_mode mode, const void *data, int count, MPI_Datatype type, int dest) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (mode) {
    case send_mode::standard:
        CHECK_MPI(MPI_Isend(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    case send_mode::synchronous:
        CHECK_MPI(MPI_Issend(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    case send_mode::buffered:
        CHECK_MPI(MPI_Ibsend(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    case send_mode::ready:
        CHECK_MPI(MPI_Irsend(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    }
    return request;
}

MPI_Request prepare_send(send_mode mode, const void *data, int count, MPI_Datatype type, int dest) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (mode) {
    case send_mode::standard:
        CHECK_MPI(MPI_Send_init(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    case send_mode::synchronous:
        CHECK_MPI(MPI_Ssend_init(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    case send_mode::buffered:
        CHECK_MPI(MPI_Bsend_init(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    case send_mode::ready:
        CHECK_MPI(MPI_Rsend_init(data, count, type, dest, data_tag, MPI_COMM_WORLD, &request));
        break;
    }
    return request;
}

/// The receiver tells the sender that its receive has been started: what a ready send needs.
void announce_posted(int left, int right) {
    CHECK_MPI(MPI_Sendrecv(nullptr, 0, MPI_BYTE, left, token_tag, nullptr, 0, MPI_BYTE, right, token_tag,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

class ring {
  public:
    explicit ring(const check::job &job)
        : left_{(job.rank + job.size - 1) % job.size}, right_{(job.rank + 1) % job.size}, rank_{job.rank},
          size_{job.size} {}

    void exchange(send_mode mode, style how, form out, form in) {
        // A blocking send to oneself cannot come before its receive, nor can a ready one anywhere.
        if (how == style::chain && (size_ == 1 || mode == send_mode::ready))
            return;
        ++number_;
        const std::string what =
            std::string(mode_names[static_cast<std::size_t>(mode)]) + " " +
            style_names[static_cast<std::size_t>(how)] + ", " + std::to_string(out.bytes) + " bytes" +
            (out.strided ? ", strided send" : "") + (in.strided ? ", strided receive" : "");
        guarded_buffer outgoing = out.buffer();
        guarded_buffer incoming = in.buffer();
        outgoing.fill(seed_of(rank_));
        MPI_Datatype out_type = out.type();
        MPI_Datatype in_type = in.type();
        const int repetitions = how == style::persistent ? 2 : 1;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (how == style::persistent) {
            CHECK_MPI(MPI_Recv_init(incoming.data(), in.count(), in_type, left_, data_tag, MPI_COMM_WORLD,
                                    &requests[0]));
            requests[1] = prepare_send(mode, outgoing.data(), out.count(), out_type, right_);
        }
        for (int i = 0; i < repetitions; ++i) {
            MPI_Status statuses[2];
            statuses[0].MPI_SOURCE = -77;
            switch (how) {
            case style::chain:
                if (rank_ != 0)
                    send(mode, outgoing.data(), out.count(), out_type, right_);
                CHECK_MPI(MPI_Recv(incoming.data(), in.count(), in_type, left_, data_tag, MPI_COMM_WORLD,
                                   &statuses[0]));
                if (rank_ == 0)
                    send(mode, outgoing.data(), out.count(), out_type, right_);
                break;
            case style::posted:
            case style::nonblocking:
                CHECK_MPI(MPI_Irecv(incoming.data(), in.count(), in_type, left_, data_tag, MPI_COMM_WORLD,
                                    &requests[0]));
                if (mode == send_mode::ready)
                    announce_posted(left_, right_);
                if (how == style::posted)
                    send(mode, outgoing.data(), out.count(), out_type, right_);
                else
                    requests[1] = start_send(mode, outgoing.data(), out.count(), out_type, right_);
                CHECK_MPI(MPI_Waitall(2, requests, statuses));
                CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
                break;
            case style::persistent:
                CHECK_MPI(MPI_Start(&requests[0]));
                if (mode == send_mode::ready)
                    announce_posted(left_, right_);
                CHECK_MPI(MPI_Start(&requests[1]));
                CHECK_MPI(MPI_Waitall(2, requests, statuses));
                CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
                break;
            }
            CHECK_EQ(statuses[0].MPI_SOURCE, left_);
            CHECK_EQ(statuses[0].MPI_TAG, data_tag);
            int got = -1;
            CHECK_MPI(MPI_Get_count(&statuses[0], MPI_BYTE, &got));
            CHECK_EQ(got, static_cast<int>(out.bytes));
            incoming.expect(seed_of(left_), what);
        }
        outgoing.expect(seed_of(rank_), what + ", the sender's own buffer");
        if (how == style::persistent) {
            CHECK_MPI(MPI_Request_free(&requests[0]));
            CHECK_MPI(MPI_Request_free(&requests[1]));
        }
        form::release(out_type);
        form::release(in_type);
    }

  private:
    [[nodiscard]] std::uint64_t seed_of(int sender) const {
        return number_ * 1000003u + static_cast<std::uint64_t>(sender);
    }
    int left_;
    int right_;
    int rank_;
    int size_;
    std::uint64_t number_ = 0;
};

constexpr std::array modes{send_mode::standard, send_mode::synchronous, send_mode::buffered,
                           send_mode::ready};
constexpr std::array styles{style::chain, style::posted, style::nonblocking, style::persistent};

/// Every mode, style and pair of forms, for multiples of 7 (so that all forms hold them) and other sizes.
void small_matrix(ring &messages) {
    int ranks = 0;
    CHECK_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    // A rank can be ahead of its right neighbour by as many messages as the ring has other ranks.
    std::vector<char> attached(static_cast<std::size_t>(ranks + 3) * ((1u << 20) + MPI_BSEND_OVERHEAD));
    CHECK_MPI(MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size())));
    random_numbers random(2026);
    std::vector<std::size_t> sizes{0, 7, 63, 4095, 65541, 262143};
    for (int i = 0; i < 4; ++i)
        sizes.push_back(7 * random.below(std::size_t{4000}));
    for (const std::size_t bytes : sizes)
        for (const send_mode mode : modes)
            for (const style how : styles)
                for (const bool out : {false, true})
                    for (const bool in : {false, true})
                        messages.exchange(mode, how, {out, bytes}, {in, bytes});
    for (const std::size_t bytes : {1,   2,   3,   4,    8,    15,    16,    32,    64,    65,     100,
                                    128, 255, 256, 1024, 4096, 16384, 65535, 65536, 65537, 1 << 20})
        for (const send_mode mode : modes)
            for (const style how : styles)
                messages.exchange(mode, how, {false, bytes}, {false, bytes});
    void *detached = nullptr;
    int size = 0;
    CHECK_MPI(MPI_Buffer_detach(&detached, &size));
    CHECK(detached == attached.data());
    CHECK_EQ(size, static_cast<int>(attached.size()));
}

/// @param most bytes of the longest messages
void large_matrix(ring &messages, std::size_t most) {
    for (const std::size_t bytes : {std::size_t{7} << 19, std::size_t{7} * 1234567, most / 7 * 7}) {
        messages.exchange(send_mode::standard, style::chain, {false, bytes}, {false, bytes});
        messages.exchange(send_mode::synchronous, style::nonblocking, {false, bytes}, {false, bytes});
        messages.exchange(send_mode::ready, style::persistent, {true, bytes}, {false, bytes});
        messages.exchange(send_mode::standard, style::posted, {false, bytes}, {true, bytes});
    }
    messages.exchange(send_mode::standard, style::posted, {true, 7 << 20}, {true, 7 << 20});
    messages.exchange(send_mode::standard, style::nonblocking, {false, most}, {false, most});
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    ring messages(job);
    if (argc > 1)
        large_matrix(messages, static_cast<std::size_t>(std::atoi(argv[1])) << 20); // MiB
    else
        small_matrix(messages);
}
