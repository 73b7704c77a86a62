// SPDX-License-Identifier: Apache-2.0
// Between the ranks that have rows and those that read or write stretches of a file stands a directory: each
// rank looks after a stretch of the receiver's numbers. Where a file has its rows in order, those that have
// read them are asked at once.
#include <lisle/couple/weight_file.hpp>

#include <algorithm>
#include <array>
#include <tuple>

#include <lisle/communicator.hpp>
#include <lisle/file.hpp>

#include "couple/agreement.hpp"
#include "couple/directory.hpp"
#include "couple/file_entries.hpp"
#include "couple/outbound.hpp"
#include "couple/rows_in_order.hpp"
#include "couple/weight_rows.hpp"

namespace lisle::couple {

using detail::agree_on;
using detail::directory;
using detail::file_entry;
using detail::file_part;
using detail::outbound;
using detail::rows_in_order;

namespace {

/// An entry on its way to the directory, and the place that has it.
struct placed_entry {
    file_entry entry;
    std::int64_t place;
};
/// What a directory has been told.
struct kept_entry {
    placed_entry what;
    int rank;
    [[nodiscard]] auto owner() const noexcept { return std::tuple{what.entry.row, rank, what.place}; }
};

bool is_text(const communicator &ranks, const std::string &path) {
    constexpr std::string_view mark = "lisle";
    std::array<char, mark.size()> begin{};
    static_cast<void>(file<char>{ranks, path}.read_all(0, begin));
    return std::string_view{begin.data(), begin.size()} == mark;
}

std::string what_differs(const std::string &path, const detail::file_header &is, const decomposition &wanted,
                         global_index sender_points) {
    const auto sentence = [&](const char *whose, global_index in_file, global_index points) {
        return in_file == points ? std::string{}
                                 : path + " is for a " + whose + "'s grid of " + std::to_string(in_file) +
                                       " points, not of " + std::to_string(points);
    };
    const std::string first = sentence("receiver", is.rows, wanted.grid_points());
    return first.empty() ? sentence("sender", is.columns, sender_points) : first;
}

/// The points of a decomposition by place; -1 where one is masked.
std::vector<global_index> points_of(const decomposition &of) {
    std::vector<global_index> all(static_cast<std::size_t>(of.places()), -1);
    for (const point_run &each : of.runs()) {
        for (std::int64_t at = 0; at != each.count; ++at) {
            all[static_cast<std::size_t>(each.local + at)] = each.global + at;
        }
    }
    return all;
}

std::string what_cannot_be_written(std::span<const weight> weights, const std::vector<global_index> &points,
                                   global_index sender_points) {
    std::string wrong =
        detail::what_is_wrong(weights, static_cast<std::int64_t>(points.size()), sender_points);
    for (auto each = weights.begin(); wrong.empty() && each != weights.end(); ++each) {
        if (points[static_cast<std::size_t>(each->place)] < 0) {
            wrong = "a weight is for place " + std::to_string(each->place) + ", which is masked";
        }
    }
    return wrong;
}

/// The entries of the caller's stretch of rows, in ascending order, each row as its first place has it.
std::vector<file_entry> entries_of_stretch(const communicator &ranks, outbound<placed_entry> &told) {
    std::vector<kept_entry> kept;
    for (const auto &[rank, entries] : told.exchanged(ranks)) {
        for (const placed_entry &each : entries) {
            kept.push_back({each, rank});
        }
    }
    std::ranges::sort(kept, {}, [](const kept_entry &each) {
        return std::tuple_cat(each.owner(), std::tuple{each.what.entry.column, each.what.entry.factor});
    });
    std::vector<file_entry> all;
    const kept_entry *first = nullptr; // of the row
    for (const kept_entry &each : kept) {
        if (first == nullptr || first->what.entry.row != each.what.entry.row) {
            first = &each;
        }
        if (first->owner() == each.owner()) {
            all.push_back(each.what.entry);
        }
    }
    return all;
}

/// Files are often in order, and so are stretches of them.
template <class T, class By> void sort_unless_sorted(std::vector<T> &all, const By &by) {
    if (!std::ranges::is_sorted(all, {}, by)) {
        std::ranges::sort(all, {}, by);
    }
}

// Weights may fill the memory, so what is no longer needed goes before more comes.
std::vector<file_entry> at_their_directory(const communicator &ranks, const directory &where,
                                           std::vector<file_entry> entries) {
    outbound<file_entry> told;
    told.add_all(entries, [&](const file_entry &each) { return where.rank_of(each.row); });
    entries = {};
    return told.exchanged_contents(ranks);
}

/// The entries of the points that ranks ask for, for the places that they have there.
void answer(const std::vector<addressed<std::vector<point_run>>> &asked, std::vector<file_entry> entries,
            outbound<weight> &into) {
    sort_unless_sorted(entries, &file_entry::row);
    const auto rows_of = [&](const point_run &run) {
        const auto first = std::ranges::lower_bound(entries, run.global, {}, &file_entry::row);
        return std::span{first, std::ranges::lower_bound(first, entries.end(), run.global + run.count, {},
                                                         &file_entry::row)};
    };
    for (const auto &[rank, runs] : asked) {
        std::size_t count = 0;
        for (const point_run &run : runs) {
            count += rows_of(run).size();
        }
        into.reserve(rank, count);
        for (const point_run &run : runs) {
            for (const file_entry &each : rows_of(run)) {
                into.add(rank, {run.local + each.row - run.global, each.column, each.factor});
            }
        }
    }
}

} // namespace

std::vector<weight> read_weights(MPI_Comm all, const std::string &path, const decomposition &wanted,
                                 global_index sender_points) {
    const communicator ranks{all};
    file_part own = is_text(ranks, path) ? detail::read_text(ranks, path) : detail::read_netcdf(ranks, path);
    agree_on(ranks, what_differs(path, own.header, wanted, sender_points));

    outbound<point_run> asked;
    const auto ask = [&](const auto &where) {
        for (const point_run &each : wanted.runs()) {
            where.for_parts_of(each, [&](int rank, const point_run &part) { asked.add(rank, part); });
        }
    };
    if (const auto where = rows_in_order::of(ranks, own.entries)) {
        ask(*where);
    } else {
        const directory shared{wanted.grid_points(), ranks.size()};
        own.entries = at_their_directory(ranks, shared, std::move(own.entries));
        ask(shared);
    }
    outbound<weight> answers;
    answer(asked.exchanged(ranks), std::move(own.entries), answers);
    std::vector<weight> weights = answers.exchanged_contents(ranks);
    sort_unless_sorted(weights, [](const weight &each) {
        return std::tuple{each.place, each.source, each.factor};
    });
    return weights;
}

void write_weights(MPI_Comm all, const std::string &path, std::span<const weight> weights,
                   const decomposition &wanted, global_index sender_points, weight_format as) {
    const communicator ranks{all};
    const std::vector<global_index> points = points_of(wanted);
    agree_on(ranks, what_cannot_be_written(weights, points, sender_points));
    const directory where{wanted.grid_points(), ranks.size()};
    outbound<placed_entry> told;
    for (const weight &each : weights) {
        const global_index row = points[static_cast<std::size_t>(each.place)];
        told.add(where.rank_of(row), {{row, each.source, each.factor}, each.place});
    }
    file_part own{{wanted.grid_points(), sender_points, 0}, entries_of_stretch(ranks, told)};
    own.header.entries = ranks.allreduce(static_cast<std::int64_t>(own.entries.size()), std::plus<>{});
    if (as == weight_format::text) {
        detail::write_text(ranks, path, own);
    } else {
        detail::write_netcdf(ranks, path, own, as);
    }
}

} // namespace lisle::couple
