// SPDX-License-Identifier: Apache-2.0
// A rank's view of a file [MPI-5.0 14.3]: from a displacement on, the bytes that the copies of the filetype
// select, one copy after the other. Positions count these bytes. The filetype's layout is walked by the code
// that walks data in memory (datatype/cursor.hpp): there the "addresses" are offsets in the file.
#pragma once

#include <cstddef>
#include <vector>

#include "base/ref.hpp"
#include "datatype/datatype.hpp"
#include "file/descriptor.hpp"
#include "file/representation.hpp"

namespace lisle::file {

using type_ref = ref<const datatype>;

/// See the file's head. Immutable.
class view {
  public:
    /// The whole file, as bytes.
    view();
    /// Throws MPI_ERR_ARG or MPI_ERR_IO if the types cannot make a view. @param written the file may be
    view(MPI_Offset displacement, const datatype &etype, const datatype &filetype, const representation &form,
         bool written);

    [[nodiscard]] MPI_Offset displacement() const noexcept { return displacement_; }
    [[nodiscard]] const datatype &etype() const noexcept { return *etype_; }
    [[nodiscard]] const datatype &filetype() const noexcept { return *filetype_; }
    [[nodiscard]] const representation &form() const noexcept { return *form_; }

    /// Bytes of one etype in the file: what offsets count.
    [[nodiscard]] MPI_Count unit() const noexcept { return unit_; }
    /// True if nothing is hidden from the displacement on.
    [[nodiscard]] bool whole() const noexcept { return tile_->contiguous(); }
    /// True if nothing at all is visible.
    [[nodiscard]] bool empty() const noexcept { return tile_->size() == 0; }

    /// True if bytes that follow each other in the view do so in the file, too: neither the filetype's runs
    /// nor its copies reach into each other.
    [[nodiscard]] bool ascending() const noexcept { return ascending_; }

    /// Visible bytes that lie together, on average.
    [[nodiscard]] MPI_Count usual_run() const noexcept;

    /// Where byte `position` lies in the file. @pre not empty(), position >= 0
    [[nodiscard]] MPI_Offset offset_of(MPI_Count position) const;
    /// How many visible bytes lie before this place in the file. @pre ascending(), or a guess will do
    [[nodiscard]] MPI_Count position_at(MPI_Offset offset) const;
    /// From the first to the last of these bytes, with what is hidden between them. @pre bytes > 0
    [[nodiscard]] file_run span_of(MPI_Count position, MPI_Count bytes) const;
    /// Appends the runs that make up bytes [position, position + bytes), at most about `most` of them.
    /// Returns how many bytes they are.
    MPI_Count runs(MPI_Count position, MPI_Count bytes, std::size_t most, std::vector<file_run> &into) const;

  private:
    [[nodiscard]] typed_buffer until(MPI_Count position) const;

    MPI_Offset displacement_ = 0;
    type_ref etype_, filetype_;
    const representation *form_;
    type_ref tile_; ///< the filetype as it lies in the file: another type where the data have another form
    MPI_Count unit_ = 1;
    MPI_Count runs_of_tile_ = 0;
    bool ascending_ = true;
};

} // namespace lisle::file
