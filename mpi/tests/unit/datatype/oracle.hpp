// SPDX-License-Identifier: Apache-2.0
// Datatypes as the standard defines them: a type map, written out entry by entry, and the formulas of
// [MPI-5.0 5.1] applied to it literally. Slow and obvious; the engine is compared with it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "datatype/predefined.hpp"

namespace lisle::test {

struct map_entry {
    const predefined_facts *type;
    MPI_Count displacement;
};

/// A type map, with the markers that resized, subarray and darray put into it.
struct type_map {
    std::vector<map_entry> entries;
    std::vector<MPI_Count> lower_markers, upper_markers;
    std::optional<MPI_Count> padded_upper; ///< the end of the last part, with its own padding

    [[nodiscard]] MPI_Count size() const {
        MPI_Count sum = 0;
        for (const map_entry &entry : entries) {
            sum += entry.type->size;
        }
        return sum;
    }
    [[nodiscard]] MPI_Count true_lower() const {
        MPI_Count result = entries.empty() ? 0 : entries[0].displacement;
        for (const map_entry &entry : entries) {
            result = std::min(result, entry.displacement);
        }
        return result;
    }
    [[nodiscard]] MPI_Count true_upper() const {
        MPI_Count result = entries.empty() ? 0 : entries[0].displacement + entries[0].type->size;
        for (const map_entry &entry : entries) {
            result = std::max(result, entry.displacement + entry.type->size);
        }
        return result;
    }
    [[nodiscard]] MPI_Count lower() const {
        return lower_markers.empty() ? true_lower()
                                     : *std::min_element(lower_markers.begin(), lower_markers.end());
    }
    [[nodiscard]] MPI_Count extent() const {
        if (!upper_markers.empty()) {
            return *std::max_element(upper_markers.begin(), upper_markers.end()) - lower();
        }
        MPI_Count alignment = 1;
        for (const map_entry &entry : entries) {
            alignment = std::max(alignment, entry.type->alignment);
        }
        MPI_Count extent = std::max(true_upper(), padded_upper.value_or(true_upper())) - true_lower();
        while (extent % alignment != 0) {
            ++extent;
        }
        return extent;
    }
    /// Displacements of the data's bytes, for `count` elements.
    [[nodiscard]] std::vector<MPI_Count> bytes(MPI_Count count) const {
        std::vector<MPI_Count> result;
        for (MPI_Count i = 0; i < count; ++i) {
            for (const map_entry &entry : entries) {
                for (MPI_Count byte = 0; byte < entry.type->size; ++byte) {
                    result.push_back(i * extent() + entry.displacement + byte);
                }
            }
        }
        return result;
    }
    /// Appends `other`, moved by `displacement`.
    void append(const type_map &other, MPI_Count displacement) {
        if (!other.entries.empty() && other.upper_markers.empty()) {
            const MPI_Count end = displacement + other.lower() + other.extent();
            padded_upper = std::max(end, padded_upper.value_or(end));
        }
        for (const map_entry &entry : other.entries) {
            entries.push_back({entry.type, entry.displacement + displacement});
        }
        for (const MPI_Count marker : other.lower_markers) {
            lower_markers.push_back(marker + displacement);
        }
        for (const MPI_Count marker : other.upper_markers) {
            upper_markers.push_back(marker + displacement);
        }
    }
    void append_block(const type_map &other, MPI_Count length, MPI_Count displacement) {
        for (MPI_Count i = 0; i < length; ++i) {
            append(other, displacement + i * other.extent());
        }
    }
    void set_bounds(MPI_Count lower_bound, MPI_Count new_extent) {
        lower_markers = {lower_bound};
        upper_markers = {lower_bound + new_extent};
    }
};

/// The map of a predefined type; pairs are structures of two.
[[nodiscard]] inline type_map map_of(MPI_Datatype predefined) {
    const predefined_facts &facts = *find_datatype(predefined)->facts();
    type_map map;
    if (facts.category != type_category::pair) {
        map.entries.push_back({&facts, 0});
        return map;
    }
    map.entries.push_back({find_datatype(reinterpret_cast<MPI_Datatype>(facts.value_type))->facts(), 0});
    map.entries.push_back(
        {find_datatype(reinterpret_cast<MPI_Datatype>(facts.index_type))->facts(), facts.index_offset});
    return map;
}

} // namespace lisle::test
