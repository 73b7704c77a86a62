// SPDX-License-Identifier: Apache-2.0
#include "file/view.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <sys/uio.h>

#include "base/error.hpp"
#include "datatype/checked.hpp"
#include "datatype/copy.hpp"
#include "datatype/cursor.hpp"
#include "datatype/predefined.hpp"

namespace lisle::file {

namespace {

constexpr std::size_t runs_at_once = 256;

MPI_Offset offset_of(const void *address) noexcept {
    return static_cast<MPI_Offset>(reinterpret_cast<std::uintptr_t>(address));
}

/// Throws if displacements are negative or decrease, or if the data of a file that is written overlap.
/// [MPI-5.0 14.1.1, 14.3] The standard names no class for these errors; it is the one that other MPIs use.
/// @param count number of runs @return true if the runs, and those of further copies, do not overlap
bool check_order(const datatype &tile, bool written, MPI_Count &count) {
    const typed_buffer once{nullptr, 1, tile};
    std::vector<iovec> some;
    MPI_Offset last = 0, end = 0;
    bool apart = tile.true_extent() <= tile.extent();
    for (MPI_Count done = 0; done < tile.size();) {
        some.clear();
        done += lisle::runs(once, done, tile.size() - done, runs_at_once, some);
        for (const iovec &run : some) {
            const MPI_Offset offset = offset_of(run.iov_base);
            if (offset < last) {
                fail(MPI_ERR_IO, "the filetype has data at byte ", offset, " after byte ", last,
                     ": displacements must not be negative and must not decrease");
            }
            if (written && offset < end) {
                fail(MPI_ERR_IO, "the filetype has byte ", offset,
                     " twice, which it must not in a file that is opened for writing");
            }
            apart = apart && offset >= end;
            count += count == 0 || offset != end ? 1 : 0;
            last = offset;
            end = std::max(end, offset + static_cast<MPI_Offset>(run.iov_len));
        }
    }
    return apart;
}

} // namespace

view::view()
    : etype_{type_ref::share(byte_type())}, filetype_{etype_}, form_{&representation::native()},
      tile_{etype_} {}

view::view(MPI_Offset displacement, const datatype &etype, const datatype &filetype,
           const representation &form, bool written)
    : displacement_{displacement}, etype_{type_ref::share(etype)}, filetype_{type_ref::share(filetype)},
      form_{&form}, tile_{form.type_in_file(filetype)}, unit_{form.type_in_file(etype)->size()} {
    if (unit_ == 0) {
        fail(MPI_ERR_ARG, "the etype has no data, so offsets cannot be counted in it");
    }
    if (tile_->size() % unit_ != 0) {
        fail(MPI_ERR_ARG, "the filetype has ", tile_->size(), " bytes of data, which is no multiple of the ",
             unit_, " of the etype");
    }
    if (tile_->size() != 0 && tile_->extent() <= 0) {
        fail(MPI_ERR_ARG, "the filetype's extent is ", tile_->extent(), "; it must be positive");
    }
    ascending_ = check_order(*tile_, written, runs_of_tile_);
}

typed_buffer view::until(MPI_Count position) const {
    const MPI_Count tiles = position / tile_->size() + 1;
    static_cast<void>(checked_sum(displacement_, checked_product(tiles, tile_->extent())));
    return {reinterpret_cast<const void *>(displacement_), tiles, *tile_};
}

MPI_Offset view::offset_of(MPI_Count position) const {
    if (whole()) {
        return displacement_ + position;
    }
    return file::offset_of(cursor{until(position), position}.take(1).block(0));
}

MPI_Count view::position_at(MPI_Offset offset) const {
    if (empty() || offset <= displacement_) {
        return 0;
    }
    if (whole()) {
        return offset - displacement_;
    }
    // Tiles may overlap, but their beginnings ascend.
    const MPI_Count reach =
        std::max<MPI_Count>(tile_->true_lower_bound() + tile_->true_extent(), tile_->extent());
    const MPI_Count inside = offset - displacement_;
    MPI_Count low = std::max<MPI_Count>(0, (inside - reach) / tile_->extent()) * tile_->size();
    MPI_Count high = (inside / tile_->extent() + 1) * tile_->size();
    while (low < high) {
        const MPI_Count middle = low + (high - low) / 2;
        if (offset_of(middle) < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

MPI_Count view::usual_run() const noexcept {
    return whole() ? std::numeric_limits<MPI_Count>::max()
                   : tile_->size() / std::max<MPI_Count>(runs_of_tile_, 1);
}

file_run view::span_of(MPI_Count position, MPI_Count bytes) const {
    const MPI_Offset first = offset_of(position);
    return {first, offset_of(position + bytes - 1) + 1 - first};
}

MPI_Count view::runs(MPI_Count position, MPI_Count bytes, std::size_t most,
                     std::vector<file_run> &into) const {
    if (whole()) {
        into.push_back({displacement_ + position, bytes});
        return bytes;
    }
    const typed_buffer tiles = until(position + bytes);
    std::vector<iovec> some;
    const MPI_Count covered = lisle::runs(tiles, position, bytes, most, some);
    for (const iovec &run : some) {
        const auto offset = file::offset_of(run.iov_base);
        if (!into.empty() && into.back().end() == offset) {
            into.back().bytes += static_cast<MPI_Count>(run.iov_len);
        } else {
            into.push_back({offset, static_cast<MPI_Count>(run.iov_len)});
        }
    }
    return covered;
}

} // namespace lisle::file
