// SPDX-License-Identifier: Apache-2.0
// Arrays with gaps, as sections of Fortran arrays are, a(:, 1:9:2): the standard counts their elements as if
// they followed each other, in array element order, as they do in a copy that a compiler makes [MPI-5.0
// 19.1.12]. That copy, which is never made here, is the section's sequence; a datatype that is passed with a
// section describes bytes of the sequence, and this class maps them to the array.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "datatype/datatype.hpp"

namespace lisle {

/// Where the bytes of a section's sequence lie, counted from the section's first element.
class array_section {
  public:
    /// @param extents how many elements along each dimension; the first varies fastest
    /// @param strides bytes in memory from an element to the next along each dimension
    array_section(MPI_Count element_bytes, std::span<const MPI_Count> extents,
                  std::span<const MPI_Count> strides);

    /// Of the sequence.
    [[nodiscard]] MPI_Count bytes() const noexcept { return slice_bytes(levels_.size() - 1); }

    /// Where the bytes of the sequence lie that `sequence` describes. Regular parts, such as columns, are
    /// kept once. Of irregular parts the layout takes 4 to 32 bytes for each piece of memory, and making it
    /// takes 32, or some 200 where pieces are shorter than an element. @pre all bytes lie within bytes()
    [[nodiscard]] layout place(const layout &sequence) const;

    /// How far apart in memory blocks lie that begin each `stride` bytes of the sequence. Nothing: not
    /// equally far, or they are not all laid out alike. @param begin,end of the first one's bytes
    /// @pre all blocks lie within bytes()
    [[nodiscard]] std::optional<MPI_Count> distance(MPI_Count begin, MPI_Count end, MPI_Count stride,
                                                    MPI_Count blocks) const noexcept;

  private:
    /// `count` parts of `part` bytes of the sequence, `stride` bytes apart in memory. The first level's parts
    /// are bytes, any other's are all that the level below has.
    struct level {
        MPI_Count count, part, stride;
        layout whole; ///< of all parts
    };
    /// Bytes of the sequence from the lowest to behind the highest that something covers.
    struct range {
        MPI_Count begin, end;
        [[nodiscard]] range shifted(MPI_Count by) const noexcept { return {begin + by, end + by}; }
    };
    /// So many equal layouts follow each other in memory, `stride` bytes apart.
    struct group {
        MPI_Count count, stride;
    };

    [[nodiscard]] MPI_Count slice_bytes(std::size_t at) const noexcept {
        return levels_[at].count * levels_[at].part;
    }
    [[nodiscard]] MPI_Count address(MPI_Count in_sequence) const noexcept;
    [[nodiscard]] bool in_one_slice(const level &of, range covered) const noexcept;
    [[nodiscard]] bool alike(range one, range other) const noexcept;
    [[nodiscard]] group first_group(range first, MPI_Count stride, MPI_Count count) const noexcept;
    void add_bytes(layout_list &to, MPI_Count begin, MPI_Count bytes) const;
    void add_bytes(layout_list &to, std::size_t at, MPI_Count begin, MPI_Count bytes, MPI_Count base) const;
    void add(layout_list &to, const layout &sequence, MPI_Count origin) const;
    void add_loop(layout_list &to, const nest &loop, MPI_Count origin) const;

    std::vector<level> levels_;
};

/// A type for a buffer that is a section of an array and is to be given as `blocks` times `count` elements of
/// `type`: of the first block, with the way to the next one as its extent. Nothing: the elements do not all
/// lie in the section's sequence, or the blocks are not alike.
[[nodiscard]] std::optional<type_part> part_in_section(const type_part &type, MPI_Count count,
                                                       MPI_Count blocks, const array_section &section);

} // namespace lisle
