// SPDX-License-Identifier: Apache-2.0
// How accumulates change elements of the target [MPI-5.0 12.3.4, 12.7.1]. Updates of one element by any
// number of ranks are as if done one after the other, whichever way they take: an element of at most eight
// bytes that is aligned to its size is changed by the processor's own atomic instructions, all others under
// the lock of the target's row (member::updates), and so is each element of memory that others change by
// copies. Arrays of MPI_BYTE that lie in one piece are changed as a whole, beyond what the standard asks for:
// programs send structures so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/spin_lock.hpp"
#include "datatype/predefined.hpp"
#include "reduction/op.hpp"

namespace lisle::rma {

/// The properties of a predefined type that accesses to one element depend on.
struct element_traits {
    std::uint8_t plain_size = 0; ///< bytes that a plain copy moves; 0: that is not how to move it
    std::uint8_t word_size = 0;  ///< bytes that one atomic instruction changes; 0: none does
    bool adds = false;           ///< sums are additions of such words
    bool compares = false;       ///< the standard has compare_and_swap for it
};
/// By the type's handle, counted from first_predefined_handle.
extern const std::array<element_traits, predefined_handles> traits_by_handle;

/// Those of the type behind a handle; for a type that is not predefined all false.
[[nodiscard, gnu::always_inline]] inline element_traits traits_of(MPI_Datatype handle) noexcept {
    const std::uintptr_t index = handle_value(handle) - first_predefined_handle;
    return index < predefined_handles ? traits_by_handle[index] : element_traits{};
}

/// Keeps other ranks from changing elements of a target during an update.
struct update_guard {
    spin_lock *lock = nullptr; ///< of the target's row; null: no other rank changes them
    bool always = false; ///< elements are changed under it alone, and not by the processor's instructions
};

/// The word that the processor changes. Sequentially consistent: programs build locks and counters of these.
template <class Word> [[nodiscard]] std::atomic_ref<Word> word_at(std::byte *target) noexcept {
    return std::atomic_ref<Word>{*reinterpret_cast<Word *>(target)};
}

/// An operation on elements of one predefined type.
class element_update {
  public:
    /// Throws MPI_ERR_OP or MPI_ERR_TYPE unless the operation is predefined, and defined for elements that
    /// data of this type consist of.
    element_update(const op &operation, const datatype &type);

    [[nodiscard]] const datatype &element() const noexcept { return *element_; }
    [[nodiscard]] const op &operation() const noexcept { return *operation_; }
    /// The value of the operation's handle.
    [[nodiscard]] std::uintptr_t handle() const noexcept;
    /// True if nothing is read from the origin.
    [[nodiscard]] bool reads_only() const noexcept { return how_ == manner::keep; }
    /// True if the new values do not depend on the former ones.
    [[nodiscard]] bool writes_only() const noexcept { return how_ == manner::replace; }

    /// Changes consecutive elements at `target`.
    /// @param origin the operands, without gaps; may be null if reads_only()
    /// @param result where the former values go, without gaps; null: nowhere
    void apply(std::byte *target, const std::byte *origin, std::byte *result, std::size_t count,
               const update_guard &guard) const noexcept;

  private:
    enum class manner : unsigned char { keep, replace, add, bit_and, bit_or, bit_xor, general };

    void apply_locked(std::byte *target, const std::byte *origin, std::byte *result,
                      std::size_t count) const noexcept;
    void apply_with_gaps(std::byte *target, const std::byte *origin, std::byte *result,
                         std::size_t count) const noexcept;
    template <class Word> void apply_at_once(std::byte *target, const std::byte *origin, std::byte *result,
                                             std::size_t count) const noexcept;

    /// The kernel of the operation on arrays; for sums looked up only where it is needed.
    [[nodiscard]] collective::reduction_kernels kernels() const noexcept {
        return how_ == manner::add ? operation_->kernels_for(*element_) : kernels_;
    }

    const op *operation_;
    const datatype *element_;
    collective::reduction_kernels kernels_;
    manner how_ = manner::general;
    std::size_t size_; ///< of an element's data
    bool floating_ = false;
    bool single_ = false; ///< one atomic instruction changes an element that is aligned
    bool bytes_ = false;  ///< of no type: arrays of them may be one value of the program's
};

/// MPI_Compare_and_swap of one element. Returns true if it has been swapped.
bool compare_and_swap(const datatype &element, std::byte *target, const std::byte *compare,
                      const std::byte *origin, std::byte *result, const update_guard &guard) noexcept;
/// Throws MPI_ERR_TYPE unless the standard allows compare_and_swap on this type, or it is MPI_CHAR, which
/// programs use for bytes.
void check_compare_type(const datatype &type);

} // namespace lisle::rma
