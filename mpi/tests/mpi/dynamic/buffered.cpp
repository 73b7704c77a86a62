// SPDX-License-Identifier: Apache-2.0
// Short messages between jobs whose order relies on buffers: the job that sends them goes on, with
// LISLE_CHECK=2, too, which would make a deadlock of it that no job can see.
#include "check.hpp"

#include <array>

namespace {

constexpr std::array<int, 2> tags{2, 1}; // sent in this order, and received in the other

void send_all(MPI_Comm inter, int remote_size) {
    for (const int tag : tags)
        for (int peer = 0; peer < remote_size; ++peer)
            CHECK_MPI(MPI_Send(&tag, 1, MPI_INT, peer, tag, inter));
}

void receive_all(MPI_Comm inter, int remote_size) {
    for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag)
        for (int peer = 0; peer < remote_size; ++peer) {
            int got = 0;
            CHECK_MPI(MPI_Recv(&got, 1, MPI_INT, peer, *tag, inter, MPI_STATUS_IGNORE));
            CHECK_EQ(got, *tag);
        }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_get_parent(&inter));
    const bool is_child = inter != MPI_COMM_NULL;
    if (!is_child)
        CHECK_MPI(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                                 MPI_ERRCODES_IGNORE));
    int remote_size = 0;
    CHECK_MPI(MPI_Comm_remote_size(inter, &remote_size));
    send_all(inter, remote_size);
    receive_all(inter, remote_size);
    CHECK_MPI(MPI_Comm_disconnect(&inter));
}
