// SPDX-License-Identifier: Apache-2.0
// Messages in pieces: sent by MPIX_Send_piece or as a whole, received by MPIX_Mrecv_piece or by any other
// call, while short messages of others arrive at the same mailbox.
#include "../check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

using bytes = std::vector<unsigned char>;

int rank = 0;
int size = 0;

bytes message(std::size_t length, int from) {
    bytes made(length);
    for (std::size_t i = 0; i < length; ++i)
        made[i] = static_cast<unsigned char>(i * 7 + i / 251 + static_cast<std::size_t>(from));
    return made;
}

/// Pieces of all sizes, from nothing to more than a packet.
void send_pieces(const bytes &out, int dest) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPIX_Isend_pieces(static_cast<MPI_Count>(out.size()), dest, 5, MPI_COMM_WORLD, &request));
    std::size_t piece = 0;
    for (std::size_t sent = 0; sent < out.size(); piece = piece * 3 % 50'021 + 1) {
        const std::size_t now = std::min(piece, out.size() - sent);
        bytes room(out.begin() + static_cast<std::ptrdiff_t>(sent),
                   out.begin() + static_cast<std::ptrdiff_t>(sent + now));
        CHECK_MPI(MPIX_Send_piece(room.data(), static_cast<MPI_Count>(now), request));
        std::fill(room.begin(), room.end(), 0); // may be changed
        sent += now;
    }
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

bytes receive_pieces(int source, MPI_Count length) {
    MPI_Message taken = MPI_MESSAGE_NULL;
    MPI_Status status;
    CHECK_MPI(MPI_Mprobe(source, 5, MPI_COMM_WORLD, &taken, &status));
    MPI_Count announced = -1;
    CHECK_MPI(MPI_Get_count_c(&status, MPI_BYTE, &announced));
    CHECK_EQ(announced, length);
    bytes got;
    for (;;) {
        const unsigned char *data = nullptr;
        MPI_Count count = -1;
        CHECK_MPI(MPIX_Mrecv_piece(&taken, &data, &count));
        if (count == 0)
            break;
        CHECK(taken != MPI_MESSAGE_NULL);
        got.insert(got.end(), data, data + count);
    }
    CHECK(taken == MPI_MESSAGE_NULL);
    return got;
}

bytes receive_whole(int source, std::size_t length) {
    bytes got(length);
    MPI_Status status;
    CHECK_MPI(MPI_Recv(got.data(), static_cast<int>(length), MPI_BYTE, source, 5, MPI_COMM_WORLD, &status));
    int count = -1;
    CHECK_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_EQ(count, static_cast<int>(length));
    return got;
}

/// Every second rank sends first.
template <class Send, class Receive> void in_turns(Send send, Receive receive) {
    if (rank % 2 == 0)
        send();
    receive();
    if (rank % 2 != 0)
        send();
}

/// What comes in between: from the rank that receives from this one.
void among_others(int next, int previous, bool first) {
    constexpr int letters = 100;
    static std::vector<bytes> out;
    static std::vector<MPI_Request> sending(letters, MPI_REQUEST_NULL);
    if (first) {
        out.assign(letters, message(1000, rank));
        for (std::size_t i = 0; i < letters; ++i)
            CHECK_MPI(MPI_Isend(out[i].data(), 1000, MPI_BYTE, previous, 6, MPI_COMM_WORLD, &sending[i]));
        return;
    }
    for (int i = 0; i < letters; ++i) {
        bytes in(1000);
        CHECK_MPI(MPI_Recv(in.data(), 1000, MPI_BYTE, next, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(in == message(1000, next));
    }
    CHECK_MPI(MPI_Waitall(letters, sending.data(), MPI_STATUSES_IGNORE));
}

/// A receiver with too short a buffer gets what fits; the sender does not notice.
void truncated(int next, int previous) {
    const bytes out = message(300'000, rank);
    in_turns([&] { send_pieces(out, next); },
             [&] {
                 bytes got(100'000);
                 MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
                 CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Recv(got.data(), 100'000, MPI_BYTE, previous, 5,
                                                        MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                 MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
                 bytes wanted = message(300'000, previous);
                 wanted.resize(100'000);
                 CHECK(got == wanted);
             });
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    rank = job.rank;
    size = job.size;
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    for (const std::size_t length : {0, 1, 40, 5000, 100'000, 2'000'000}) {
        const auto out = message(length, rank);
        for (int way = 0; way < 3; ++way) {
            among_others(next, previous, true);
            in_turns(
                [&] {
                    if (way == 2)
                        CHECK_MPI(MPI_Send(out.data(), static_cast<int>(length), MPI_BYTE, next, 5,
                                           MPI_COMM_WORLD));
                    else
                        send_pieces(out, next);
                },
                [&] {
                    const bytes got = way == 1 ? receive_whole(previous, length)
                                               : receive_pieces(previous, static_cast<MPI_Count>(length));
                    CHECK(got == message(length, previous));
                });
            among_others(next, previous, false);
        }
    }
    truncated(next, previous);

    send_pieces(message(1000, rank), MPI_PROC_NULL);
    MPI_Message none = MPI_MESSAGE_NO_PROC;
    const void *data = &none;
    MPI_Count count = -1;
    CHECK_MPI(MPIX_Mrecv_piece(&none, &data, &count));
    CHECK(none == MPI_MESSAGE_NULL && count == 0);
}
