// SPDX-License-Identifier: Apache-2.0
#include "datatype/datatype.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/checks.hpp"
#include "datatype/predefined.hpp"

namespace lisle {

namespace {

bool is_contiguous(const type_part &part) {
    return part.data.is_run() && part.data.offset == 0 && part.data.size == part.bounds.extent;
}

bool is_scattered(const type_part &part) {
    if (is_contiguous(part)) {
        return false;
    }
    // Longer runs are fetched ahead by the processor. The extent of a subarray is that of the whole array,
    // but where an element is one run the next one lies that far away.
    constexpr MPI_Count long_run = 1024;
    const MPI_Count room = part.data.is_run() ? std::abs(part.bounds.extent) : part.bounds.true_extent;
    return part.data.size / part.data.runs() < long_run && part.data.size <= room / 2;
}

// The table is in order of handles, and the types that pairs are made of come before all pairs.
MPI_Count index_size(const predefined_facts &facts) {
    return predefined_datatypes[facts.index_type - first_predefined_handle]->size();
}

layout pair_data(const predefined_facts &facts) {
    layout_list list;
    list.add({0, facts.size - index_size(facts), nullptr});
    list.add({facts.index_offset, index_size(facts), nullptr});
    return list.finish();
}

type_part describe(const predefined_facts &facts) {
    const bool pair = facts.category == type_category::pair;
    type_part part;
    part.data = pair ? pair_data(facts) : layout{0, facts.size, nullptr};
    part.bounds.extent = facts.extent;
    part.bounds.true_extent = pair ? facts.index_offset + index_size(facts) : facts.extent;
    part.bounds.alignment = facts.alignment;
    part.elements = pair ? 2 : 1;
    part.external_size = facts.external_size;
    part.basic = facts.basic;
    return part;
}

/// Types are strict that consist of strict ones, all of one representation: of others only a signature says
/// enough. Bytes fit all and are never strict (tools/generate_datatypes.py).
bool is_strict(basic_type basic, const std::vector<const datatype *> &parts) noexcept {
    return basic != basic_type::mixed && !parts.empty() &&
           std::ranges::all_of(parts, [](const datatype *part) { return part->strict(); });
}

} // namespace

datatype::datatype(type_part part, type_origin origin)
    : object{object_kind::datatype}, part_{std::move(part)}, origin_{std::move(origin)},
      contiguous_{is_contiguous(part_)}, scattered_{is_scattered(part_)}, mark_{part_.basic,
                                                                                is_strict(part_.basic,
                                                                                          origin_.types)} {
    for (const datatype *type : origin_.types) {
        type->retain();
    }
    if (checks(check_level::cheap)) {
        signature_ = signature_of(origin_, size());
    }
}

datatype::datatype(const predefined_facts &facts, type_origin origin, bool strict)
    : object{object_kind::datatype}, part_{describe(facts)}, origin_{std::move(origin)}, facts_{&facts},
      contiguous_{is_contiguous(part_)}, scattered_{is_scattered(part_)}, predefined_{true}, mark_{
                                                                                                 part_.basic,
                                                                                                 strict} {
    commit();
}

void datatype::commit() noexcept {
    committed_.store(true, std::memory_order_relaxed);
    const bool plain =
        contiguous_ && size() != 0 && !(basic() == basic_type::mixed && checks(check_level::cheap));
    plain_mark_.store(plain ? mark_.value() : 0, std::memory_order_relaxed);
    usual_.store(plain && !mark_.strict(), std::memory_order_relaxed);
}

void datatype::retain() const noexcept {
    if (!predefined_) {
        references_.fetch_add(1, std::memory_order_relaxed);
    }
}

void datatype::release() const noexcept {
    if (predefined_ || references_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
        return;
    }
    // A loop and not recursion: users may build chains of types that are longer than the stack.
    std::vector<const datatype *> unused{this};
    while (!unused.empty()) {
        const datatype *const type = unused.back();
        unused.pop_back();
        for (const datatype *part : type->origin_.types) {
            if (!part->predefined_ && part->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                unused.push_back(part);
            }
        }
        delete type;
    }
}

} // namespace lisle
