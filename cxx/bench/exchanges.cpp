// SPDX-License-Identifier: Apache-2.0
// What the interface's exchanges of all ranks cost against the same algorithms in C's calls: the sorter,
// messages to a few, the exchange over a grid. As interface.cpp.
#include <lisle/grid_exchange.hpp>
#include <lisle/lisle.hpp>
#include <lisle/sort.hpp>
#include <lisle/sparse_exchange.hpp>

#include "compare.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace {

// Each rank loads the program for itself, also as a thread or fiber.
int rank = 0, size = 2, other = 1;

std::vector<int> places_of(const std::vector<int> &counts) {
    std::vector<int> places{0};
    for (const int count : counts)
        places.push_back(places.back() + count);
    return places;
}

/// Counts that the receivers are told, then the elements.
std::vector<double> c_deal(const std::vector<double> &elements, const std::vector<int> &counts,
                           std::vector<int> &from) {
    from.resize(counts.size());
    MPI_Alltoall(counts.data(), 1, MPI_INT, from.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const std::vector<int> out = places_of(counts), in = places_of(from);
    std::vector<double> got(static_cast<std::size_t>(in.back()));
    MPI_Alltoallv(elements.data(), counts.data(), out.data(), MPI_DOUBLE, got.data(), from.data(), in.data(),
                  MPI_DOUBLE, MPI_COMM_WORLD);
    return got;
}

/// The bounds between ranks: every rank's samples, of which the root chooses.
std::vector<double> c_bounds(const std::vector<double> &sorted) {
    constexpr std::size_t samples = 33;
    std::vector<double> own(samples), all(samples * static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < samples; ++i)
        own[i] = sorted[(2 * i + 1) * sorted.size() / (2 * samples)];
    MPI_Gather(own.data(), samples, MPI_DOUBLE, all.data(), samples, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    std::vector<double> bounds(static_cast<std::size_t>(size - 1));
    if (rank == 0) {
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < bounds.size(); ++i)
            bounds[i] = all[(i + 1) * samples];
    }
    MPI_Bcast(bounds.data(), size - 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return bounds;
}

/// The same algorithm for numbers: a parallel sort by sampling, after which each rank has as many as before.
void c_sort(std::vector<double> &elements) {
    std::stable_sort(elements.begin(), elements.end());
    std::vector<int> share(static_cast<std::size_t>(size));
    const int count = static_cast<int>(elements.size());
    MPI_Allgather(&count, 1, MPI_INT, share.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> counts, from;
    auto begin = elements.cbegin();
    for (const double bound : c_bounds(elements)) {
        const auto end = std::lower_bound(begin, elements.cend(), bound);
        counts.push_back(static_cast<int>(end - begin));
        begin = end;
    }
    counts.push_back(static_cast<int>(elements.cend() - begin));
    std::vector<double> runs = c_deal(elements, counts, from);
    std::inplace_merge(runs.begin(), runs.begin() + from[0], runs.end());

    const int now = static_cast<int>(runs.size());
    std::vector<int> held(share.size());
    MPI_Allgather(&now, 1, MPI_INT, held.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (held == share) {
        elements = std::move(runs);
        return;
    }
    const std::vector<int> before = places_of(share), after = places_of(held);
    const auto self = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = std::max(0, std::min(after[self + 1], before[i + 1]) - std::max(after[self], before[i]));
    elements = c_deal(runs, counts, from);
}

void sorting() {
    for (const int count : {1000, 30'000}) {
        numbers random{static_cast<unsigned>(rank) + 1};
        std::vector<double> unsorted(static_cast<std::size_t>(count)), elements;
        for (double &each : unsorted)
            each = random.below(1u << 16) + random.below(1u << 16) / 65536.0;
        compare(
            "sort", count, 1, 101,
            [&] {
                elements = unsorted;
                c_sort(elements);
            },
            [&] {
                elements = unsorted;
                lisle::sort(world, elements);
            });
    }
}

using c_letters = std::vector<std::pair<int, std::vector<int>>>;

/// Messages to ranks that do not know of them: all are sent synchronously, and a barrier begins when they
/// have arrived.
c_letters c_sparse(MPI_Comm comm, const c_letters &messages, int &round) {
    const int tag = round++ % 2;
    std::vector<MPI_Request> sends(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i)
        MPI_Issend(messages[i].second.data(), static_cast<int>(messages[i].second.size()), MPI_INT,
                   messages[i].first, tag, comm, &sends[i]);
    c_letters got;
    MPI_Request others = MPI_REQUEST_NULL;
    for (bool told = false;;) {
        int there = 0;
        MPI_Message message;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &there, &message, &status);
        if (there != 0) {
            int count = 0;
            MPI_Get_count(&status, MPI_INT, &count);
            std::vector<int> content(static_cast<std::size_t>(count));
            MPI_Mrecv(content.data(), count, MPI_INT, &message, MPI_STATUS_IGNORE);
            got.emplace_back(status.MPI_SOURCE, std::move(content));
            continue;
        }
        int complete = 0;
        if (told) {
            MPI_Test(&others, &complete, MPI_STATUS_IGNORE);
            if (complete != 0)
                break;
        } else {
            MPI_Testall(static_cast<int>(sends.size()), sends.data(), &complete, MPI_STATUSES_IGNORE);
            if (complete != 0) {
                MPI_Ibarrier(comm, &others);
                told = true;
            }
        }
    }
    std::stable_sort(got.begin(), got.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    return got;
}

void sparse() {
    MPI_Comm channel;
    MPI_Comm_dup(MPI_COMM_WORLD, &channel);
    int round = 0;
    for (const int messages : {1, 10}) {
        c_letters plain;
        std::vector<lisle::addressed<std::vector<int>>> ours;
        for (int i = 0; i < messages; ++i) {
            plain.emplace_back(other, std::vector<int>(10, i));
            ours.push_back({other, std::vector<int>(10, i)});
        }
        compare(
            "sparse_exchange", messages, 10, 501, [&] { static_cast<void>(c_sparse(channel, plain, round)); },
            [&] { static_cast<void>(lisle::sparse_exchange(world, ours)); });
    }
    MPI_Comm_free(&channel);
}

/// What one rank has for others, passed on along a row and then along a column of a grid, of which every row
/// is as long.
class c_grid {
  public:
    c_grid(int rows, int columns) : rows_{rows}, columns_{columns} {
        MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row_);
        MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column_);
    }
    ~c_grid() {
        MPI_Comm_free(&row_);
        MPI_Comm_free(&column_);
    }
    std::pair<std::vector<int>, std::vector<int>> alltoallv(const int *data, const int *counts) const {
        const std::vector<int> begins = places_of(std::vector<int>(counts, counts + size));
        parcels to_relays;
        for (int column = 0; column < columns_; ++column) {
            to_relays.begin();
            for (int row = 0; row < rows_; ++row)
                to_relays.add(data + begins[at(row, column)], counts[at(row, column)]);
        }
        auto [relayed, lengths] = to_relays.exchange(row_, columns_, rows_);

        const std::vector<int> places = places_of(lengths);
        parcels from_relays;
        for (int row = 0; row < rows_; ++row) {
            from_relays.begin();
            for (int column = 0; column < columns_; ++column) {
                const std::size_t piece = static_cast<std::size_t>(column * rows_ + row);
                from_relays.add(relayed.data() + places[piece], lengths[piece]);
            }
        }
        return from_relays.exchange(column_, rows_, columns_); // in the order of rows: of senders
    }

  private:
    struct parcels {
        std::vector<int> elements, lengths, counts;
        void begin() { counts.push_back(0); }
        void add(const int *first, int length) {
            elements.insert(elements.end(), first, first + length);
            lengths.push_back(length);
            counts.back() += length;
        }
        std::pair<std::vector<int>, std::vector<int>> exchange(MPI_Comm comm, int ranks, int pieces) const {
            std::vector<int> came(lengths.size()), sums(static_cast<std::size_t>(ranks));
            MPI_Alltoall(lengths.data(), pieces, MPI_INT, came.data(), pieces, MPI_INT, comm);
            for (int i = 0; i < ranks; ++i)
                sums[static_cast<std::size_t>(i)] =
                    std::accumulate(came.begin() + i * pieces, came.begin() + (i + 1) * pieces, 0);
            const std::vector<int> out = places_of(counts), in = places_of(sums);
            std::vector<int> got(static_cast<std::size_t>(in.back()));
            MPI_Alltoallv(elements.data(), counts.data(), out.data(), MPI_INT, got.data(), sums.data(),
                          in.data(), MPI_INT, comm);
            return {std::move(got), std::move(came)};
        }
    };
    std::size_t at(int row, int column) const { return static_cast<std::size_t>(row * columns_ + column); }

    int rows_, columns_;
    MPI_Comm row_ = MPI_COMM_NULL, column_ = MPI_COMM_NULL;
};

void grid() {
    const lisle::grid_exchange near_square{world};
    const lisle::grid_exchange nodes{world, lisle::hardware::memory};
    const c_grid plain{near_square.rows(), near_square.columns()};
    for (const int length : {1, 1000}) {
        const std::vector<int> counts(static_cast<std::size_t>(size), length);
        const std::vector<int> elements(static_cast<std::size_t>(length * size), rank);
        const auto c = [&] { static_cast<void>(plain.alltoallv(elements.data(), counts.data())); };
        compare("grid_exchange", length, 10, 501, c,
                [&] { static_cast<void>(near_square.alltoallv(elements, counts)); });
        compare("node_exchange", length, 10, 501, c,
                [&] { static_cast<void>(nodes.alltoallv(elements, counts)); });
    }
}

} // namespace

int main() {
    const lisle::environment mpi;
    begin_with_two_ranks("exchanges");
    rank = world.rank();
    other = 1 - rank;
    sorting();
    sparse();
    grid();
}
