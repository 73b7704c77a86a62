// SPDX-License-Identifier: Apache-2.0
// A reduction operation of MPI: one of the predefined ones, which combine elements of the types that the
// standard allows through a table of kernels, or a user's function. Immutable; shared by reference count,
// since a collective that runs keeps its operation while the user may free the handle.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/object.hpp"
#include "datatype/datatype.hpp"
#include "datatype/predefined.hpp"
#include "mpi.h"
#include "reduction/kernels.hpp"

namespace lisle {

class op : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::op;

    /// inout[i] = in[i] op inout[i] for `count` elements of `type`; the two do not overlap. For a
    /// predefined operation `type` must have passed check().
    virtual void apply(const void *in, void *inout, MPI_Count count, const datatype &type) const = 0;
    /// out[i] = first[i] op second[i], the three not overlapping; otherwise as apply().
    virtual void combine(const void *first, const void *second, void *out, MPI_Count count,
                         const datatype &type) const;
    /// Throws MPI_ERR_OP if this operation cannot reduce elements of `type`.
    void check(const datatype &type) const {
        if (!takes(category_of(type))) {
            check_further(type);
        }
    }
    /// The kernel for elements of a predefined type that has passed check(), if there is one.
    [[nodiscard]] virtual collective::reduction_kernels kernels_for(const datatype &) const noexcept {
        return {};
    }
    [[nodiscard]] bool commutative() const noexcept { return commutative_; }
    /// True for the operations that have a constant for a handle and cannot be freed.
    [[nodiscard]] bool predefined() const noexcept { return name_ != nullptr; }
    /// The constant's name; null for a user's operation.
    [[nodiscard]] const char *name() const noexcept { return name_; }

    /// Shared ownership. Predefined operations are never destroyed, so for them both do nothing.
    void retain() const noexcept;
    void release() const noexcept;

  protected:
    /// A bit for each type_category whose predefined types can be reduced; that of `none` is for all types.
    using categories = std::uint16_t;

    op(const char *name, bool commutative, categories taken) noexcept
        : object{object_kind::op}, name_{name}, taken_{taken}, commutative_{commutative} {}
    virtual ~op() = default;

    /// Throws MPI_ERR_OP unless the operation is possible for that type, for another reason than its
    /// category.
    virtual void check_further(const datatype &type) const = 0;

  private:
    [[nodiscard]] bool takes(type_category what) const noexcept {
        return (taken_ >> static_cast<unsigned>(what) & 1U) != 0;
    }

    const char *name_;
    categories taken_;
    bool commutative_;
    mutable std::atomic<int> references_{1};
};

/// The predefined type that a type consists of alone, or null. Different types of one representation
/// count as one if the standard's operations treat them alike.
[[nodiscard]] const datatype *only_predefined(const datatype &type) noexcept;

/// An operation on elements of one type, for which the kernel is looked up once.
class op_on {
  public:
    op_on() = default;
    /// @pre operation.check(type)
    op_on(const op &operation, const datatype &type) noexcept : operation_{&operation}, type_{&type} {
        if (type.facts() != nullptr) {
            kernels_ = operation.kernels_for(type);
        }
    }
    [[nodiscard]] bool is(const op &operation, const datatype &type) const noexcept {
        return operation_ == &operation && type_ == &type;
    }

    /// As those of op.
    void apply(const void *in, void *inout, MPI_Count count) const {
        if (kernels_.apply != nullptr) [[likely]] {
            kernels_.apply(static_cast<const std::byte *>(in), static_cast<std::byte *>(inout),
                           static_cast<std::size_t>(count));
        } else {
            operation_->apply(in, inout, count, *type_);
        }
    }
    void combine(const void *first, const void *second, void *out, MPI_Count count) const {
        if (kernels_.combine != nullptr) [[likely]] {
            kernels_.combine(static_cast<const std::byte *>(first), static_cast<const std::byte *>(second),
                             static_cast<std::byte *>(out), static_cast<std::size_t>(count));
        } else {
            operation_->combine(first, second, out, count, *type_);
        }
    }

  private:
    const op *operation_ = nullptr;
    const datatype *type_ = nullptr;
    collective::reduction_kernels kernels_;
};

/// The operation behind a handle, or null if there is none.
[[nodiscard]] const op *find_op(MPI_Op handle) noexcept;

/// A user's operation with the handle's share. The function of the first form is called several times if
/// there are more elements than an int can count.
[[nodiscard]] op *create_op(MPI_User_function *function, bool commutative);
[[nodiscard]] op *create_op(MPI_User_function_c *function, bool commutative);
/// One with a state; `destructor` (or null) is called with it when the last share is given back.
[[nodiscard]] op *create_op(MPIX_User_function_x *function, MPIX_Destructor_function *destructor,
                            bool commutative, void *state);
/// The same without a destructor, in the caller's memory, which is not freed with the last share. Throws
/// MPI_ERR_ARG if it is too small or not aligned.
[[nodiscard]] op *create_op_in(void *memory, std::size_t bytes, MPIX_User_function_x *function,
                               bool commutative, void *state);

} // namespace lisle
