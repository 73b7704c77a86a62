// SPDX-License-Identifier: Apache-2.0
// A datatype of MPI: an immutable type tree, its bounds, and the compact program that copies it. Types
// are shared by reference count: requests and derived types keep the types they use. Types are made by
// the calls of api/type_constructors.cpp with builder.hpp; the predefined ones are in predefined.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/object.hpp"
#include "datatype/basic_type.hpp"
#include "datatype/layout.hpp"
#include "datatype/type_signature.hpp"
#include "mpi.h"

namespace lisle {

class datatype;
struct predefined_facts;
union immortal;

/// Lower bound, extent and related values, as section 5.1 of the standard defines them.
struct type_bounds {
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    MPI_Count true_lower = 0;
    MPI_Count true_extent = 0;
    /// What the extent is rounded to, if it is not set: the strictest alignment among the data.
    MPI_Count alignment = 1;
    /// Bounds were set by the user (resized, subarray, darray), here or further down: then such set
    /// bounds alone count in types made of this one.
    bool explicitly_set = false;
};

/// A type's data, independent of the constructor.
struct type_part {
    type_bounds bounds;
    layout data;
    /// Number of basic elements (pairs have two).
    MPI_Count elements = 0;
    /// Bytes of data in the external32 representation.
    MPI_Count external_size = 0;
    /// The representation of all of the data, or `none` or `mixed`.
    basic_type basic = basic_type::none;
};

/// The call that made a type: what MPI_Type_get_envelope and _contents tell, and the type tree. The
/// type that has this origin keeps the `types`.
struct type_origin {
    int combiner = MPI_COMBINER_NAMED;
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Count> large_counts;
    std::vector<const datatype *> types;
    /// Structures only: how many of each of `types` follow each other in the data. All other types'
    /// data are types[0] over and over.
    std::vector<MPI_Count> repetitions;
};

/// What packets say of the elements of their message: their basic_type, and whether it is strict.
class type_mark {
  public:
    static constexpr unsigned basic_shift = 8;
    constexpr type_mark() noexcept = default;
    constexpr type_mark(basic_type basic, bool strict) noexcept
        : value_{static_cast<std::uint32_t>(basic) << basic_shift | (strict ? 1U : 0U)} {}
    constexpr explicit type_mark(std::uint32_t value) noexcept : value_{value} {}

    [[nodiscard]] constexpr std::uint32_t value() const noexcept { return value_; }
    [[nodiscard]] constexpr bool strict() const noexcept { return (value_ & 1U) != 0; }
    [[nodiscard]] constexpr basic_type basic() const noexcept {
        return static_cast<basic_type>(value_ >> basic_shift);
    }
    /// True if a receive of elements with this mark takes a message of those with the other: only two strict
    /// ones are compared. Neither is of bytes, see datatype.cpp.
    [[nodiscard]] constexpr bool takes(type_mark sent) const noexcept {
        return value_ == sent.value_ || !strict() || !sent.strict();
    }

  private:
    std::uint32_t value_ = 0;
};

/// See the file's head. Immutable after construction but for name, attributes and whether it is
/// committed; any number of threads and ranks may read one.
class datatype : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::datatype;

    /// A derived type, with one reference. Retains the types of `origin`.
    datatype(type_part part, type_origin origin);
    /// A predefined type, or one that stands for it (`origin` then tells how it was asked for).
    /// `facts` outlives it.
    explicit datatype(const predefined_facts &facts, type_origin origin = {}, bool strict = false);

    /// Bytes of data in one element, gaps not counted (MPI_Type_size).
    [[nodiscard]] MPI_Count size() const noexcept { return part_.data.size; }
    [[nodiscard]] MPI_Count lower_bound() const noexcept { return part_.bounds.lower; }
    /// Bytes from one element to the next in an array.
    [[nodiscard]] MPI_Count extent() const noexcept { return part_.bounds.extent; }
    [[nodiscard]] MPI_Count true_lower_bound() const noexcept { return part_.bounds.true_lower; }
    [[nodiscard]] MPI_Count true_extent() const noexcept { return part_.bounds.true_extent; }
    /// True if any count of elements is one run of bytes that begins at the buffer's address, in
    /// order: then data is moved by plain copies (size() == extent(), true lower bound 0).
    [[nodiscard]] bool contiguous() const noexcept { return contiguous_; }
    /// True if the data lies in short pieces with more between them than in them: then to copy it from
    /// another core's cache takes longer than to copy it there first.
    [[nodiscard]] bool scattered() const noexcept { return scattered_; }
    // Relaxed: a type's users on other threads got its handle through some synchronisation already.
    [[nodiscard]] bool committed() const noexcept { return committed_.load(std::memory_order_relaxed); }
    /// True if committed, contiguous and not empty: the types of short messages. While messages are checked,
    /// no mixed types: they are described.
    [[nodiscard]] bool plain() const noexcept { return plain_mark() != 0; }
    /// True if plain and not strict: the types of C's short messages.
    [[nodiscard]] bool plain_and_usual() const noexcept { return usual_.load(std::memory_order_relaxed); }
    /// The type_mark of a plain type; 0: it is not plain.
    [[nodiscard]] std::uint32_t plain_mark() const noexcept {
        return plain_mark_.load(std::memory_order_relaxed);
    }
    /// What goes into packets as it is, of plain types and others.
    [[nodiscard]] type_mark mark() const noexcept { return mark_; }
    /// True: a message of this type fits only a receive of the same elements, if that is strict too.
    [[nodiscard]] bool strict() const noexcept { return mark_.strict(); }
    [[nodiscard]] bool predefined() const noexcept { return predefined_; }

    /// Number of basic elements in one element of this type (pairs have two).
    [[nodiscard]] MPI_Count elements() const noexcept { return part_.elements; }
    /// The representation that all of the data has, or `none` or `mixed`. A pair is one of its own.
    [[nodiscard]] basic_type basic() const noexcept { return part_.basic; }
    /// What the data of one element consist of. @pre the type is predefined, or was made by a job that checks
    /// messages (base/checks.hpp)
    [[nodiscard]] type_signature signature() const noexcept {
        return predefined_ ? signature_of(part_.basic) : signature_;
    }
    [[nodiscard]] const type_bounds &bounds() const noexcept { return part_.bounds; }
    [[nodiscard]] const type_part &part() const noexcept { return part_; }
    [[nodiscard]] const layout &data() const noexcept { return part_.data; }
    [[nodiscard]] const type_origin &origin() const noexcept { return origin_; }
    /// The predefined type that this is, or (the f90 types) stands for; null for derived types.
    [[nodiscard]] const predefined_facts *facts() const noexcept { return facts_; }

    void commit() noexcept;

    /// Shared ownership. Predefined types are never destroyed, so for them both do nothing.
    void retain() const noexcept;
    void release() const noexcept;

    /// The name that MPI_Type_set_name gave a derived type (types that ranks share, the predefined
    /// ones, have a name for each rank, which is not here).
    mutable std::string name;

  private:
    friend union immortal;
    ~datatype() = default;

    type_part part_;
    type_origin origin_;
    const predefined_facts *facts_ = nullptr;
    bool contiguous_ = false, scattered_ = false, predefined_ = false;
    std::atomic<bool> committed_ = false;
    std::atomic<std::uint32_t> plain_mark_ = 0;
    // The last release must see all uses before it: release order when counting down, acquire before
    // destruction.
    mutable std::atomic<int> references_{1};
    type_signature signature_ = type_signature::unknown();
    type_mark mark_;
    std::atomic<bool> usual_ = false; ///< see plain_and_usual(); relaxed like plain_mark_
};

/// The representation that all data of `type` has, if it is one.
[[nodiscard]] inline std::optional<basic_type> uniform_basic_type(const datatype &type) noexcept {
    const basic_type basic = type.basic();
    return basic == basic_type::none || basic == basic_type::mixed ? std::nullopt : std::optional{basic};
}

} // namespace lisle
