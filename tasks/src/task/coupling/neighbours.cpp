// SPDX-License-Identifier: Apache-2.0
#include "task/coupling/neighbours.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "task/coupling/mail.hpp"

namespace lisle::couple::detail {

namespace {

std::vector<std::string> split_lines(const std::string &text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0, end = text.find('\n'); end != std::string::npos;
         at = end + 1, end = text.find('\n', at)) {
        lines.push_back(text.substr(at, end - at));
    }
    return lines;
}

// What every rank says of itself: a name, then the names that it wants a connection with.
std::vector<std::vector<std::string>> gather_lines(MPI_Comm comm, const std::string &mine) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    const auto ranks = static_cast<std::size_t>(size);
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks), offsets(ranks);
    check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm), "MPI_Allgather");
    int total = 0;
    for (std::size_t i = 0; i < ranks; ++i) {
        offsets[i] = total;
        total += lengths[i];
    }
    std::string all(static_cast<std::size_t>(total), ' ');
    check(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
                         comm),
          "MPI_Allgatherv");
    std::vector<std::vector<std::string>> lines;
    for (std::size_t i = 0; i < ranks; ++i) {
        lines.push_back(split_lines(
            all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i]))));
    }
    return lines;
}

} // namespace

neighbours::neighbours(MPI_Comm comm, const settings &mine) : name_{mine.name} {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::string said = mine.name + '\n';
    for (const std::string &other : mine.connected) {
        said += other + '\n';
    }
    const auto lines = gather_lines(comm, said);
    for (const auto &line : lines) {
        if (std::ranges::find(names_, line[0]) != names_.end()) {
            throw std::invalid_argument{"couple::model: two models are called '" + line[0] + "'"};
        }
        names_.push_back(line[0]);
    }
    reached_.assign(names_.size(), std::numeric_limits<ticks>::min());
    connect(lines, static_cast<std::size_t>(rank));
}

void neighbours::connect(const std::vector<std::vector<std::string>> &lines, std::size_t me) {
    std::set<std::size_t> connected;
    for (std::size_t rank = 0; rank < lines.size(); ++rank) {
        for (std::size_t i = 1; i < lines[rank].size(); ++i) {
            const auto other =
                static_cast<std::size_t>(std::ranges::find(names_, lines[rank][i]) - names_.begin());
            if (other == names_.size() || other == rank) {
                throw std::invalid_argument{"couple::model: '" + names_[rank] +
                                            "' cannot be connected with '" + lines[rank][i] + "'"};
            }
            if (rank == me) {
                connected.insert(other);
            } else if (other == me) {
                connected.insert(rank);
            }
        }
    }
    for (const std::size_t each : connected) {
        ranks_.push_back(static_cast<int>(each));
    }
}

int neighbours::rank_of(const std::string &name, const char *call) const {
    const auto rank = static_cast<int>(std::ranges::find(names_, name) - names_.begin());
    if (std::ranges::find(ranks_, rank) == ranks_.end()) {
        throw std::invalid_argument{std::string{call} + ": '" + name_ + "' is not connected with '" + name +
                                    "'"};
    }
    return rank;
}

void neighbours::has_reached(int rank, ticks time) {
    ticks &reached = reached_[static_cast<std::size_t>(rank)];
    reached = std::max(reached, time);
}

ticks neighbours::slowest() const {
    ticks least = end_of_time;
    for (const int rank : ranks_) {
        least = std::min(least, reached_by(rank));
    }
    return least;
}

} // namespace lisle::couple::detail
