// SPDX-License-Identifier: Apache-2.0
// More communicators than a small number could count: contexts do not run out, whether communicators are
// freed or not.
//
// Use: many [kept [freed]]
#include "verify.hpp"

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int kept_count = argc > 1 ? std::stoi(argv[1]) : 2000;
    const int freed_count = argc > 2 ? std::stoi(argv[2]) : 6000;
    std::vector<int> all(static_cast<std::size_t>(job.size));
    for (int i = 0; i < job.size; ++i)
        all[static_cast<std::size_t>(i)] = i;
    std::vector<MPI_Comm> kept(static_cast<std::size_t>(kept_count), MPI_COMM_NULL);
    for (auto &comm : kept)
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < freed_count; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        CHECK_MPI(MPI_Comm_free(&comm));
    }
    for (int i = 0; i < kept_count; i += 500)
        verify_intra(kept[static_cast<std::size_t>(i)], all, job.rank);
    for (auto &comm : kept)
        CHECK_MPI(MPI_Comm_free(&comm));
    return 0;
}
