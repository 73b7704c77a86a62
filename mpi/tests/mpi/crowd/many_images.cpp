// SPDX-License-Identifier: Apache-2.0
// Many ranks of a program in one process, whose images the loader does not load: each has variables of its
// own, with the addresses in them that it would have alone, and exceptions find their way.
#include <mpi.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct shape {
    virtual ~shape() = default;
    [[nodiscard]] virtual int sides() const { return 0; }
};
struct square final : shape {
    [[nodiscard]] int sides() const override { return 4; }
};

int number = 17;
int *const inside = &number;            // an address in the image
const char *word = "a word of its own"; // in its constants
int twice(int value) {
    return 2 * value;
}
int (*const function)(int) = &twice;
double zeroes[3000]; // beyond what the file holds
const std::map<std::string, int> made_at_start{{"one", 1}, {"two", 2}};
std::string text = "short";

[[gnu::noinline]] void refuse(int value) {
    const std::unique_ptr<shape> unwound = std::make_unique<square>();
    if (value >= 0) {
        throw std::out_of_range(std::to_string(value + unwound->sides()));
    }
}

[[gnu::noinline]] int refused(int value) {
    try {
        refuse(value);
    } catch (const std::logic_error &error) {
        return std::stoi(error.what());
    }
    return -1;
}

} // namespace

int main(int argc, char **argv) {
    int rank = 0, ranks = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int wrong =
        number != 17 || *inside != 17 || zeroes[2999] != 0 || made_at_start.at("two") != 2 || text != "short";
    number = rank;
    zeroes[2999] = rank;
    text += std::to_string(rank) + " and long enough for memory of its own";
    MPI_Barrier(MPI_COMM_WORLD);
    wrong +=
        *inside != rank || zeroes[2999] != rank || !text.starts_with("short" + std::to_string(rank) + " ");
    wrong += function(rank) != 2 * rank || std::string(word) != "a word of its own";
    wrong += refused(rank) != rank + 4 || refused(-1) != -1;
    // The places of all ranks' variables are different ones.
    long place = reinterpret_cast<long>(&number), next = 0;
    MPI_Sendrecv(&place, 1, MPI_LONG, (rank + 1) % ranks, 0, &next, 1, MPI_LONG, (rank + ranks - 1) % ranks,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += ranks > 1 && place == next;
    int all = 0;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("%d ranks: %d are wrong\n", ranks, all);
    }
    MPI_Finalize();
    return wrong;
}
