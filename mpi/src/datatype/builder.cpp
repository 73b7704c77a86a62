// SPDX-License-Identifier: Apache-2.0
#include "datatype/builder.hpp"

#include <algorithm>
#include <utility>

#include "datatype/checked.hpp"

namespace lisle {

namespace {

MPI_Count rounded_up(MPI_Count value, MPI_Count multiple) {
    const MPI_Count excess = value % multiple;
    return excess == 0 ? value : checked_sum(value, multiple - excess);
}

basic_type combined(basic_type a, basic_type b) {
    return a == basic_type::none || a == b ? b : b == basic_type::none ? a : basic_type::mixed;
}

} // namespace

void type_builder::span::include(MPI_Count low, MPI_Count high) {
    lower = std::min(lower, low);
    upper = std::max(upper, high);
}

layout type_builder::blocks_of(const type_part &part, MPI_Count blocklength) {
    const bool same = blocklength == last_length_ && part.bounds.extent == last_extent_ &&
                      part.data.offset == last_data_.offset && part.data.size == last_data_.size &&
                      part.data.inner == last_data_.inner;
    if (!same) {
        last_block_ = repeat(part.data, blocklength, part.bounds.extent);
        last_data_ = part.data;
        last_extent_ = part.bounds.extent;
        last_length_ = blocklength;
    }
    return last_block_;
}

void type_builder::add(const type_part &part, MPI_Count blocklength, MPI_Count displacement, MPI_Count count,
                       MPI_Count stride) {
    if (blocklength == 0 || count == 0) {
        return;
    }
    const type_bounds &bounds = part.bounds;
    const MPI_Count last_in_block = checked_product(blocklength - 1, bounds.extent);
    const MPI_Count last_block = checked_product(count - 1, stride);
    // Displacements of the copy that lies lowest and of the one that lies highest.
    const MPI_Count lowest = checked_sum(
        displacement, checked_sum(std::min<MPI_Count>(0, last_in_block), std::min<MPI_Count>(0, last_block)));
    const MPI_Count highest = checked_sum(
        displacement, checked_sum(std::max<MPI_Count>(0, last_in_block), std::max<MPI_Count>(0, last_block)));
    const auto extend = [&](std::optional<span> &grown, MPI_Count lower, MPI_Count extent) {
        // The ends of a type with negative extent lie the other way round.
        const MPI_Count low = checked_sum(lowest, lower);
        const MPI_Count high = checked_sum(highest, checked_sum(lower, extent));
        if (!grown) {
            grown = span{low, high};
        } else {
            grown->include(low, high);
        }
    };
    if (bounds.explicitly_set) {
        extend(set_span_, bounds.lower, bounds.extent);
    }
    if (part.data.size == 0) {
        return;
    }
    extend(data_span_, bounds.true_lower, bounds.true_extent);
    extend(padded_span_, bounds.lower, bounds.extent);
    alignment_ = std::max(alignment_, bounds.alignment);
    const MPI_Count copies = checked_product(blocklength, count);
    elements_ = checked_sum(elements_, checked_product(part.elements, copies));
    external_size_ = checked_sum(external_size_, checked_product(part.external_size, copies));
    basic_ = combined(basic_, part.basic);
    data_.add(shifted(repeat(blocks_of(part, blocklength), count, stride), displacement));
}

type_part type_builder::finish() {
    type_part part;
    type_bounds &bounds = part.bounds;
    if (data_span_) {
        bounds.true_lower = data_span_->lower;
        bounds.true_extent = checked_difference(data_span_->upper, data_span_->lower);
    }
    bounds.alignment = alignment_;
    if (set_span_) {
        bounds.lower = set_span_->lower;
        bounds.extent = checked_difference(set_span_->upper, set_span_->lower);
        bounds.explicitly_set = true;
    } else {
        // The padding of the parts is part of them: the last copy is not cut where its data end.
        const span all = padded_span_.value_or(span{0, 0});
        bounds.lower = all.lower;
        bounds.extent = rounded_up(checked_difference(all.upper, all.lower), alignment_);
    }
    part.data = data_.finish();
    part.elements = elements_;
    part.external_size = external_size_;
    part.basic = basic_;
    *this = type_builder{};
    return part;
}

type_part with_bounds(type_part part, MPI_Count lower, MPI_Count extent) {
    static_cast<void>(checked_sum(lower, extent));
    part.bounds.lower = lower;
    part.bounds.extent = extent;
    part.bounds.explicitly_set = true;
    return part;
}

} // namespace lisle
