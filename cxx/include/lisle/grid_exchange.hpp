// SPDX-License-Identifier: Apache-2.0
// Exchanges of all ranks with all in two steps, along the rows and the columns of a grid of ranks: each rank
// sends about as many messages as a row and a column have members instead of one to each rank, and everything
// travels twice. Worth it where messages are short and ranks are many; with a row for each node, where few
// messages are to leave it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"

namespace lisle {

namespace detail {

/// Pieces for the ranks of a row or a column, the lengths of the pieces apart.
template <class T> struct parcels {
    std::vector<T> elements;
    std::vector<MPI_Count> lengths;        ///< of all pieces
    std::vector<MPI_Count> element_counts; ///< for each rank
    std::vector<MPI_Count> length_counts;

    void reserve(std::size_t all_elements, std::size_t ranks, std::size_t pieces) {
        elements.reserve(all_elements);
        lengths.reserve(pieces);
        element_counts.reserve(ranks);
        length_counts.reserve(ranks);
    }
    void begin_parcel() {
        element_counts.push_back(0);
        length_counts.push_back(0);
    }
    void add(const T *piece, MPI_Count length) {
        elements.insert(elements.end(), piece, piece + length);
        lengths.push_back(length);
        element_counts.back() += length;
        ++length_counts.back();
    }

    /// Sends each rank its pieces. Each rank sends the caller as many as `expected` says; `uniform` if they
    /// are as many from each rank to each.
    [[nodiscard]] std::pair<std::vector<T>, std::vector<MPI_Count>>
    exchange(const communicator &comm, const std::vector<MPI_Count> &expected, bool uniform) const {
        std::vector<MPI_Count> came = uniform
                                          ? comm.alltoall(lengths)
                                          : comm.alltoallv(lengths, length_counts, {.counts = expected}).data;
        std::vector<MPI_Count> sums;
        sums.reserve(expected.size());
        for (auto next = came.begin(); const MPI_Count pieces : expected) {
            sums.push_back(std::accumulate(next, next + pieces, MPI_Count{0}));
            next += pieces;
        }
        return {comm.alltoallv(elements, element_counts, {.counts = sums}).data, std::move(came)};
    }
};

} // namespace detail

/// A grid of the ranks of a communicator. What one rank has for another goes to the rank in the sender's row
/// and the receiver's column first. Rows may differ in length: then the ranks by which a row is longer than
/// the shortest one belong to the first columns as well, and only receive in them.
///
///     const lisle::grid_exchange grid{world};
///     auto [received, from] = grid.alltoallv(pieces, how_many); // what world.alltoallv() would return
class grid_exchange {
  public:
    /// As many rows as there are ranks in a row, nearly. Collective.
    explicit grid_exchange(const communicator &comm) : grid_exchange(comm, square(comm.size())) {}
    /// A row for each part of the machine: with `lisle::hardware::memory` for each node. Collective.
    grid_exchange(const communicator &comm, hardware part) : grid_exchange(comm, parts(comm, part)) {}

    /// How many rows the grid has.
    [[nodiscard]] int rows() const noexcept { return static_cast<int>(rows_.size()); }
    /// How many columns the grid has.
    [[nodiscard]] int columns() const noexcept { return static_cast<int>(columns_.size()); }

    /// Sends `counts[r]` elements of the range to each rank r, in the order of ranks. Returns those from each
    /// rank. Collective.
    template <direct_range R>
    [[nodiscard]] blocks<detail::element_of<const R &>> alltoallv(const R &range, counts_view counts) const {
        // Raises an error unless the counts are one for each rank and no more than there is.
        static_cast<void>(
            detail::blocks_in(range, counts, true, static_cast<int>(place_.size()), "lisle::grid_exchange"));
        auto [relayed, lengths] = to_relays(std::ranges::data(range), counts);
        auto [got, sizes] = from_relays(relayed.data(), lengths);
        return by_sender(std::move(got), sizes);
    }

  private:
    using rank_list = std::vector<std::size_t>;

    grid_exchange(const communicator &comm, const std::vector<int> &row_of_rank)
        : self_{static_cast<std::size_t>(comm.rank())}, place_(row_of_rank.size()) {
        rows_.resize(static_cast<std::size_t>(*std::max_element(row_of_rank.begin(), row_of_rank.end())) + 1);
        for (std::size_t rank = 0; rank < place_.size(); ++rank) {
            rank_list &row = rows_[static_cast<std::size_t>(row_of_rank[rank])];
            place_[rank] = {static_cast<std::size_t>(row_of_rank[rank]), row.size()};
            row.push_back(rank);
        }
        std::size_t shortest = place_.size();
        for (const rank_list &row : rows_)
            shortest = std::min(shortest, row.size());
        columns_.resize(shortest);
        for (std::size_t rank = 0; rank < place_.size(); ++rank)
            columns_[place_[rank].in_row % shortest].push_back(rank);
        row_ = comm.split(static_cast<int>(place_[self_].row), comm.rank());
        column_ = comm.split(static_cast<int>(own_column()), comm.rank());
    }

    /// The row of each rank, where rows have the same length, or one more.
    static std::vector<int> square(int ranks) {
        const int rows = static_cast<int>(std::lround(std::sqrt(ranks)));
        std::vector<int> row_of_rank;
        for (const auto length : detail::equal_shares(static_cast<std::size_t>(ranks), rows)) {
            const int row = row_of_rank.empty() ? 0 : row_of_rank.back() + 1;
            row_of_rank.insert(row_of_rank.end(), static_cast<std::size_t>(length), row);
        }
        return row_of_rank;
    }
    /// The part of each rank, by the order of their first ranks.
    static std::vector<int> parts(const communicator &comm, hardware part) {
        int first = comm.rank();
        comm.split_by(part, comm.rank()).broadcast(first);
        std::vector<int> parts = comm.allgather(first);
        std::vector<int> firsts = parts;
        std::sort(firsts.begin(), firsts.end());
        firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
        for (int &each : parts)
            each = static_cast<int>(std::lower_bound(firsts.begin(), firsts.end(), each) - firsts.begin());
        return parts;
    }

    /// True if all rows are of the same length.
    [[nodiscard]] bool complete() const { return place_.size() == rows_.size() * columns_.size(); }
    [[nodiscard]] std::size_t own_column() const { return place_[self_].in_row % columns_.size(); }
    [[nodiscard]] bool relays(std::size_t rank) const { return place_[rank].in_row < columns_.size(); }
    [[nodiscard]] const rank_list &own_row_ranks() const { return rows_[place_[self_].row]; }
    [[nodiscard]] const rank_list &own_column_ranks() const { return columns_[own_column()]; }

    /// The first step, along the row. @return what each rank of the row has for each one of this column
    template <class T> auto to_relays(const T *data, counts_view counts) const {
        std::vector<MPI_Count> begins{0};
        begins.reserve(place_.size() + 1);
        for (const MPI_Count count : counts)
            begins.push_back(begins.back() + count);
        detail::parcels<T> parcels;
        parcels.reserve(static_cast<std::size_t>(begins.back()), own_row_ranks().size(), place_.size());
        for (std::size_t in_row = 0; in_row < own_row_ranks().size(); ++in_row) {
            parcels.begin_parcel();
            if (in_row < columns_.size())
                for (const std::size_t receiver : columns_[in_row])
                    parcels.add(data + begins[receiver], begins[receiver + 1] - begins[receiver]);
        }
        const std::size_t pieces = relays(self_) ? own_column_ranks().size() : 0;
        return parcels.exchange(
            row_, std::vector<MPI_Count>(own_row_ranks().size(), static_cast<MPI_Count>(pieces)), complete());
    }
    /// The second step, along the column. @return what each rank of the relays' rows has sent
    template <class T> auto from_relays(const T *data, const std::vector<MPI_Count> &lengths) const {
        const std::size_t members = own_column_ranks().size();
        std::vector<MPI_Count> begins{0};
        begins.reserve(lengths.size() + 1);
        for (const MPI_Count length : lengths)
            begins.push_back(begins.back() + length);
        detail::parcels<T> parcels;
        parcels.reserve(static_cast<std::size_t>(begins.back()), members, lengths.size());
        std::vector<MPI_Count> expected;
        for (std::size_t member = 0; member < members; ++member) {
            parcels.begin_parcel();
            if (relays(self_))
                for (std::size_t sender = 0; sender < own_row_ranks().size(); ++sender)
                    parcels.add(data + begins[sender * members + member], lengths[sender * members + member]);
            const std::size_t rank = own_column_ranks()[member];
            expected.push_back(relays(rank) ? static_cast<MPI_Count>(rows_[place_[rank].row].size()) : 0);
        }
        return parcels.exchange(column_, expected, complete());
    }
    /// What has come in the order of relays, put in the order of senders.
    template <class T> blocks<T> by_sender(std::vector<T> data, const std::vector<MPI_Count> &lengths) const {
        std::vector<MPI_Count> begin_of(place_.size());
        blocks<T> all{std::vector<T>{}, std::vector<detail::later<MPI_Count, T>>(place_.size())};
        MPI_Count begin = 0;
        std::size_t in_order = 0; // how many senders have come in the order of ranks, from the first on
        for (auto length = lengths.begin(); const std::size_t relay : own_column_ranks())
            if (relays(relay))
                for (const std::size_t sender : rows_[place_[relay].row]) {
                    begin_of[sender] = begin;
                    all.counts[sender] = *length;
                    begin += *length++;
                    in_order += in_order == sender ? 1 : 0;
                }
        if (in_order == place_.size()) {
            all.data = std::move(data);
            return all;
        }
        all.data.reserve(data.size());
        for (std::size_t sender = 0; sender < place_.size(); ++sender) {
            const auto first = data.begin() + begin_of[sender];
            all.data.insert(all.data.end(), first, first + all.counts[sender]);
        }
        return all;
    }

    struct place {
        std::size_t row = 0;
        std::size_t in_row = 0;
    };
    std::size_t self_;
    std::vector<place> place_;       ///< of each rank
    std::vector<rank_list> rows_;    ///< the ranks of each
    std::vector<rank_list> columns_; ///< the ranks of each, those that do not relay among them
    owned<communicator> row_;
    owned<communicator> column_;
};

} // namespace lisle
