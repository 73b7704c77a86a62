// SPDX-License-Identifier: Apache-2.0
// Atomic accesses [MPI-5.0 14.6.1]: of writes to the same bytes, readers see one or another, but no mixture.
//     atomicity [rounds]
#include "file.hpp"

#include <algorithm>

namespace {

constexpr int elements = 4000;

void check_no_mixture(const std::vector<int> &found) {
    CHECK(std::adjacent_find(found.begin(), found.end(), std::not_equal_to<>{}) == found.end());
}

/// @param gaps the view shows every other element only
void compete(const check::job &job, bool gaps, int rounds) {
    const scratch_file file{gaps ? "gaps" : "whole"};
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_resized(MPI_INT, 0, gaps ? 8 : 4, &resized));
    const own_type shown{resized};
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, shown, "native", MPI_INFO_NULL));
    CHECK_MPI(MPI_File_set_atomicity(file, 1));
    std::vector<int> own(elements, 0), found(elements, 0);
    CHECK_MPI(MPI_File_write_at(file, 0, own.data(), elements, MPI_INT, MPI_STATUS_IGNORE));
    meet();
    for (int round = 1; round <= rounds; ++round) {
        std::fill(own.begin(), own.end(), round * job.size + job.rank);
        if (round % 3 == 0) {
            CHECK_MPI(MPI_File_write_at_all(file, 0, own.data(), elements, MPI_INT, MPI_STATUS_IGNORE));
        } else if (round % 3 == 1 && job.rank % 2 == 0) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_File_iwrite_at(file, 0, own.data(), elements, MPI_INT, &request));
            CHECK_MPI(MPI_File_read_at(file, 0, found.data(), elements, MPI_INT, MPI_STATUS_IGNORE));
            check_no_mixture(found);
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_MPI(MPI_File_write_at(file, 0, own.data(), elements, MPI_INT, MPI_STATUS_IGNORE));
        }
        CHECK_MPI(MPI_File_read_at(file, 0, found.data(), elements, MPI_INT, MPI_STATUS_IGNORE));
        check_no_mixture(found);
    }
    meet();
    CHECK_MPI(MPI_File_read_at_all(file, 0, found.data(), elements, MPI_INT, MPI_STATUS_IGNORE));
    check_no_mixture(found);
    CHECK(found[0] >= rounds * job.size);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
    compete(job, false, rounds);
    compete(job, true, rounds);
}
