// SPDX-License-Identifier: Apache-2.0
// Messages of very many partitions: what one costs, to be marked ready or to be asked for, must not grow with
// their number.
#include "check.hpp"

#include <cstddef>
#include <vector>

namespace {

constexpr int partitions = 262144;
constexpr int bytes_of_each = 64;

char value_of(int partition) {
    return static_cast<char>(partition * 7);
}

char *part(std::vector<char> &data, int partition) {
    return data.data() + static_cast<std::size_t>(partition) * bytes_of_each;
}

void send_all(std::vector<char> &data, MPI_Request request) {
    for (int i = partitions - 1; i >= 0; --i) {
        part(data, i)[0] = part(data, i)[bytes_of_each - 1] = value_of(i);
        CHECK_MPI(MPI_Pready(i, request));
    }
}

void receive_all(std::vector<char> &data, MPI_Request request) {
    for (int i = 0; i < partitions; ++i) {
        for (int arrived = 0; arrived == 0;)
            CHECK_MPI(MPI_Parrived(request, i, &arrived));
        CHECK_EQ(int{part(data, i)[0]}, int{value_of(i)});
        CHECK_EQ(int{part(data, i)[bytes_of_each - 1]}, int{value_of(i)});
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int last = job.size - 1;
    if (job.rank != 0 && job.rank != last)
        return 0;
    std::vector<char> data(std::size_t{partitions} * bytes_of_each);
    MPI_Request request = MPI_REQUEST_NULL;
    if (job.rank == 0)
        CHECK_MPI(MPI_Psend_init(data.data(), partitions, bytes_of_each, MPI_CHAR, last, 0, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &request));
    else
        CHECK_MPI(MPI_Precv_init(data.data(), partitions, bytes_of_each, MPI_CHAR, 0, 0, MPI_COMM_WORLD,
                                 MPI_INFO_NULL, &request));
    CHECK_MPI(MPI_Start(&request));
    (job.rank == 0 ? send_all : receive_all)(data, request);
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_Request_free(&request));
}
