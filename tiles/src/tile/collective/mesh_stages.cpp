// SPDX-License-Identifier: Apache-2.0
#include "tile/collective/mesh_stages.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

namespace lisle::tile {

namespace {

// A message costs its ranks about as much as sending so many bytes.
constexpr MPI_Count least_piece = 192;
// Up to this size the messages of the last stage of a reduction cost more than pairs save by cutting there.
constexpr MPI_Count least_piece_of_last_pair = 2048;

/// In decreasing order.
std::vector<int> prime_factors(int number) {
    std::vector<int> found;
    for (int factor = 2; factor * factor <= number; ++factor) {
        for (; number % factor == 0; number /= factor) {
            found.push_back(factor);
        }
    }
    if (number > 1) {
        found.push_back(number);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

/// Places that are near on this curve are near on the mesh. [G. M. Morton: A computer oriented geodetic data
/// base, 1966]
std::uint64_t place_on_curve(mesh_place place) noexcept {
    std::uint64_t number = 0;
    for (unsigned bit = 0; bit < 31; ++bit) {
        number |= static_cast<std::uint64_t>(static_cast<unsigned>(place.column) >> bit & 1U) << 2 * bit;
        number |= static_cast<std::uint64_t>(static_cast<unsigned>(place.row) >> bit & 1U) << (2 * bit + 1);
    }
    return number;
}

/// The number of each member in their order on the curve.
std::vector<int> numbers_on_curve(const mesh_view &members) {
    std::vector<std::pair<std::uint64_t, int>> order;
    for (int rank = 0; rank < members.size(); ++rank) {
        order.emplace_back(place_on_curve(members.place_of(rank)), rank);
    }
    std::sort(order.begin(), order.end());
    std::vector<int> numbers(order.size());
    for (int number = 0; const auto &each : order) {
        numbers[static_cast<std::size_t>(each.second)] = number++;
    }
    return numbers;
}

} // namespace

mesh_stages::mesh_stages(mesh_view members, int own) : members_{members}, corner_{members.place_of(0)} {
    mesh_place end = corner_;
    for (int rank = 1; rank < members.size(); ++rank) {
        const mesh_place place = members.place_of(rank);
        corner_ = {std::min(corner_.column, place.column), std::min(corner_.row, place.row)};
        end = {std::max(end.column, place.column), std::max(end.row, place.row)};
    }
    const int width = end.column - corner_.column + 1;
    const int height = end.row - corner_.row + 1;
    if (std::int64_t{width} * height == members.size()) {
        width_ = width;
        add_stages(width, height);
    } else {
        numbers_ = numbers_on_curve(members);
        width_ = members.size();
        add_stages(width_, 1);
    }
    find_peers(own);
}

void mesh_stages::add_stages(int width, int height) {
    const std::vector<int> across = prime_factors(width);
    const std::vector<int> along = prime_factors(height);
    int columns = 1;
    int rows = 1;
    for (std::size_t i = 0; i < std::max(across.size(), along.size()); ++i) {
        if (i < across.size()) {
            stages_.push_back({true, std::exchange(columns, columns * across[i]), across[i], 0, {}});
        }
        if (i < along.size()) {
            stages_.push_back({false, std::exchange(rows, rows * along[i]), along[i], 0, {}});
        }
    }
    // In the first stages the data are still long; the more members meet there, the shorter the pieces
    // become.
    std::stable_sort(stages_.begin(), stages_.end(),
                     [](const stage &one, const stage &other) { return one.members > other.members; });
    const auto too_many = [](const stage &each) { return each.members > most_in_stage; };
    if (std::any_of(stages_.begin(), stages_.end(), too_many)) {
        stages_.clear();
    }
}

void mesh_stages::find_peers(int own) {
    for (int number = 0; stage & each : stages_) {
        each.own = digit_of(own, number++);
        each.peers.assign(static_cast<std::size_t>(each.members), own);
    }
    const mesh_place here = place_of(own);
    for (int rank = 0; rank < members_.size(); ++rank) {
        const mesh_place there = place_of(rank);
        if (there.column != here.column && there.row != here.row) {
            continue;
        }
        int differing = 0;
        int last = 0;
        for (int number = 0; number < count(); ++number) {
            if (digit_of(rank, number) != digit(number)) {
                ++differing;
                last = number;
            }
        }
        if (differing == 1) {
            stages_[static_cast<std::size_t>(last)].peers[static_cast<std::size_t>(digit_of(rank, last))] =
                rank;
        }
    }
}

mesh_place mesh_stages::place_of(int rank) const noexcept {
    if (!numbers_.empty()) {
        return {numbers_[static_cast<std::size_t>(rank)], 0};
    }
    const mesh_place place = members_.place_of(rank);
    return {place.column - corner_.column, place.row - corner_.row};
}

int mesh_stages::digit_of(int rank, int number) const noexcept {
    const stage &each = at(number);
    const mesh_place place = place_of(rank);
    return (each.along_row ? place.column : place.row) / each.stride % each.members;
}

bool mesh_stages::alike_from(int stage, int rank) const noexcept {
    for (; stage < count(); ++stage) {
        if (digit_of(rank, stage) != digit(stage)) {
            return false;
        }
    }
    return true;
}

bool mesh_stages::in_pairs() const noexcept {
    return std::all_of(stages_.begin(), stages_.end(), [](const stage &each) { return each.members == 2; });
}

int mesh_stages::cutting(MPI_Count bytes) const noexcept {
    int stages = 0;
    for (MPI_Count piece = bytes; stages < count(); ++stages) {
        piece /= members(stages);
        if (piece < least_piece) {
            break;
        }
    }
    return stages;
}

int mesh_stages::cutting_to_reduce(MPI_Count bytes) const noexcept {
    const int stages = cutting(bytes);
    const bool cuts_last_pair = stages == count() && members(stages - 1) == 2;
    return cuts_last_pair && bytes / pieces(stages) < least_piece_of_last_pair ? stages - 1 : stages;
}

int mesh_stages::pieces(int stages) const noexcept {
    return std::accumulate(stages_.begin(), stages_.begin() + stages, 1,
                           [](int product, const stage &each) { return product * each.members; });
}

run_of_pieces mesh_stages::held(int rank, int stages, int cutting) const noexcept {
    run_of_pieces run{0, pieces(cutting)};
    for (int stage = 0; stage < stages; ++stage) {
        run = run.part(digit_of(rank, stage), members(stage));
    }
    return run;
}

} // namespace lisle::tile
