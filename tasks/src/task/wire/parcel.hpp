// SPDX-License-Identifier: Apache-2.0
// Parcels: what ranks of a machine send each other, a header of fixed size and a payload. (What MPI carries
// them in are packets; GPRM, whose types these are, calls them so as well.)
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <lisle/task/codec.hpp>

namespace lisle::tasks {

enum class parcel_type : std::uint8_t {
    subtask,     ///< a task that was asked for by an idle rank
    reference,   ///< a task that has to run on a certain tile
    code,        ///< a program
    data,        ///< a result, or the content of an object
    request,     ///< see parcel_request
    acknowledge, ///< see parcel_acknowledge
    finish,      ///< see parcel_finish
    error,       ///< a parcel was refused: a sentence
};
inline constexpr std::uint8_t parcel_types = 8;

/// What parcel::control says of each type.
enum class parcel_data : std::uint8_t { result, content, trace };
enum class parcel_request : std::uint8_t { work, content, put, get, close };
enum class parcel_acknowledge : std::uint8_t { code, released, credit };
enum class parcel_finish : std::uint8_t { program, token, stuck, full, end, cancel };

struct parcel {
    parcel_type type{};
    std::uint8_t control = 0;
    std::uint32_t from_tile = 0, to_tile = 0; ///< counted over all ranks
    std::uint64_t program = 0;
    std::uint32_t expression = 0;     ///< number of the expression in the program
    std::uint32_t first = 0, end = 0; ///< of tasks over a part of a sequence: its elements
    std::uint64_t address = 0;        ///< where the result goes on the rank that asked, or an object's number
    std::uint64_t count = 0;          ///< credits, references, bytes
};

/// The header; the payload follows it.
void write_header(const parcel &header, encoder &out);
/// Throws std::runtime_error for what no machine sends.
parcel read_header(decoder &in);

/// Which ranks have which tiles: they are numbered from 0 on, rank after rank. Ranks may have different
/// numbers.
class tile_map {
  public:
    tile_map() = default;
    /// Throws std::invalid_argument unless every rank has a tile.
    explicit tile_map(const std::vector<std::uint64_t> &tiles_of_ranks);
    [[nodiscard]] int tiles() const noexcept { return static_cast<int>(first_.back()); }
    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(first_.size()) - 1; }
    [[nodiscard]] int first_of(int rank) const noexcept { return first_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] int count_of(int rank) const noexcept { return first_of(rank + 1) - first_of(rank); }
    /// @pre 0 <= tile < tiles()
    [[nodiscard]] int rank_of(int tile) const noexcept;
    /// The tile's number, or, if `wraps`, its remainder. Throws std::out_of_range for others.
    [[nodiscard]] int checked_tile(std::int64_t tile, bool wraps) const;
    [[nodiscard]] int checked_rank(std::int64_t rank, bool wraps) const;

  private:
    std::vector<int> first_{0};
};

} // namespace lisle::tasks
