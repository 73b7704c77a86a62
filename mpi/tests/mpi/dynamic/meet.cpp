// SPDX-License-Identifier: Apache-2.0
// Ports, joining and published names, between groups of one job: all that does not need two.
#include "check.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

/// The first half of the world accepts, the other one connects; a world of one does nothing.
void halves(const check::job &job, int rounds) {
    if (job.size < 2)
        return;
    const bool accepts = job.rank < job.size / 2;
    MPI_Comm half = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, accepts ? 1 : 0, 0, &half));
    char port[MPI_MAX_PORT_NAME] = "";
    if (job.rank == 0)
        CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_MPI(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int round = 0; round < rounds; ++round) {
        MPI_Comm inter = MPI_COMM_NULL;
        if (accepts)
            CHECK_MPI(MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter));
        else
            CHECK_MPI(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter));
        int remote = 0, mine = 1, sum = 0;
        CHECK_MPI(MPI_Comm_remote_size(inter, &remote));
        CHECK_EQ(remote, accepts ? job.size - job.size / 2 : job.size / 2);
        CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter));
        CHECK_EQ(sum, remote);
        CHECK_MPI(MPI_Comm_disconnect(&inter));
    }
    if (job.rank == 0)
        CHECK_MPI(MPI_Close_port(port));
    CHECK_MPI(MPI_Comm_free(&half));
}

/// A connection to a port's socket by somebody who is no MPI program.
int reach(const std::string &port) {
    const std::size_t first = port.find('#'), second = port.find('#', first + 1);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port.substr(second + 1))));
    CHECK_EQ(inet_pton(AF_INET, port.substr(first + 1, second - first - 1).c_str(), &there.sin_addr), 1);
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQ(connect(made, reinterpret_cast<const sockaddr *>(&there), sizeof there), 0);
    return made;
}

/// Who calls first and goes, or talks nonsense, does not keep the one who is waited for away.
void strangers(const check::job &job) {
    if (job.size < 2 || job.rank > 1)
        return;
    MPI_Comm inter = MPI_COMM_NULL;
    char port[MPI_MAX_PORT_NAME] = "";
    if (job.rank == 0) {
        CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, port));
        close(reach(port));
        const int nonsense = reach(port), half = reach(port);
        CHECK_EQ(write(nonsense, "GET / HTTP/1.0\r\n\r\n", 18), 18);
        CHECK_EQ(write(half, "GET", 3), 3);
        close(half);
        // One of the right kind that gives up.
        MPI_Info hints = MPI_INFO_NULL;
        CHECK_MPI(MPI_Info_create(&hints));
        CHECK_MPI(MPI_Info_set(hints, "timeout", "0"));
        CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
        CHECK_ERROR(MPI_ERR_PORT, MPI_Comm_connect(port, hints, 0, MPI_COMM_SELF, &inter));
        CHECK_MPI(MPI_Info_free(&hints));
        CHECK_MPI(MPI_Send(port, sizeof port, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        CHECK_MPI(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        close(nonsense);
        CHECK_MPI(MPI_Close_port(port));
    } else {
        CHECK_MPI(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    }
    int other = -1;
    CHECK_MPI(MPI_Sendrecv(&job.rank, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE));
    CHECK_EQ(other, 1 - job.rank);
    CHECK_MPI(MPI_Comm_disconnect(&inter));
}

/// Two ranks that share a socket: of one process, since ranks of several have no descriptor in common.
void joins() {
    int ends[2] = {-1, -1};
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_join(-1, &inter));
    close(ends[1]); // nobody is there
    CHECK_ERROR(MPI_ERR_OTHER, MPI_Comm_join(ends[0], &inter));
    CHECK(inter == MPI_COMM_NULL);
    close(ends[0]);
}

void names(const check::job &job) {
    CHECK_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    const std::string service = "check/" + std::to_string(getpid()) + "/" + std::to_string(job.rank) + " \n";
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_ERROR(MPI_ERR_NAME, MPI_Lookup_name(service.c_str(), MPI_INFO_NULL, found));
    CHECK_MPI(MPI_Publish_name(service.c_str(), MPI_INFO_NULL, port));
    CHECK_ERROR(MPI_ERR_SERVICE, MPI_Publish_name(service.c_str(), MPI_INFO_NULL, port));
    CHECK_MPI(MPI_Lookup_name(service.c_str(), MPI_INFO_NULL, found));
    CHECK_EQ(std::string{found}, port);
    CHECK_ERROR(MPI_ERR_SERVICE, MPI_Unpublish_name(service.c_str(), MPI_INFO_NULL, "another port"));
    CHECK_MPI(MPI_Unpublish_name(service.c_str(), MPI_INFO_NULL, port));
    CHECK_ERROR(MPI_ERR_SERVICE, MPI_Unpublish_name(service.c_str(), MPI_INFO_NULL, port));
    CHECK_ERROR(MPI_ERR_NAME, MPI_Lookup_name(service.c_str(), MPI_INFO_NULL, found));
    CHECK_MPI(MPI_Close_port(port));
}

void mistakes(const check::job &job) {
    MPI_Comm own = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    CHECK_MPI(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_ERR_PORT, MPI_Comm_connect("no port", MPI_INFO_NULL, 0, own, &inter));
    CHECK_ERROR(MPI_ERR_PORT, MPI_Comm_accept("no port", MPI_INFO_NULL, 0, own, &inter));
    char port[MPI_MAX_PORT_NAME] = "";
    CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, port));
    // Nobody accepts.
    MPI_Info hints = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&hints));
    CHECK_MPI(MPI_Info_set(hints, "timeout", "0"));
    CHECK_ERROR(MPI_ERR_PORT, MPI_Comm_connect(port, hints, 0, own, &inter));
    CHECK_MPI(MPI_Info_free(&hints));
    CHECK_MPI(MPI_Close_port(port));
    CHECK_ERROR(MPI_ERR_PORT, MPI_Close_port(port));
    // All of the group hear of it, whatever the root's reason is.
    CHECK_ERROR(MPI_ERR_PORT, MPI_Comm_connect(port, MPI_INFO_NULL, job.size - 1, own, &inter));
    CHECK(inter == MPI_COMM_NULL);
    CHECK_ERROR(MPI_ERR_ROOT, MPI_Comm_connect(port, MPI_INFO_NULL, job.size, own, &inter));
    CHECK_MPI(MPI_Comm_free(&own));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    halves(job, 3);
    strangers(job);
    joins();
    names(job);
    mistakes(job);
}
