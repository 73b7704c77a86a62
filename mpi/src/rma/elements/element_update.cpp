// SPDX-License-Identifier: Apache-2.0
#include "rma/elements/element_update.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <type_traits>

#include "base/error.hpp"
#include "datatype/copy.hpp"

namespace lisle::rma {

namespace {

/// The operations that have code of their own.
struct known_operations {
    const op *replace = find_op(MPI_REPLACE);
    const op *no_op = find_op(MPI_NO_OP);
    const op *sum = find_op(MPI_SUM);
    const op *band = find_op(MPI_BAND);
    const op *bor = find_op(MPI_BOR);
    const op *bxor = find_op(MPI_BXOR);
};
const known_operations &known() noexcept {
    static const known_operations table;
    return table;
}

bool is_machine_integer(basic_type type) noexcept {
    return type >= basic_type::int8 && type <= basic_type::uint64 && type != basic_type::int128;
}

/// True if one access of a word can hold the element. Pairs and complex numbers are aligned as their parts.
bool is_single(const datatype &element) noexcept {
    const MPI_Count size = element.size();
    const type_category category = category_of(element);
    return (size == 1 || size == 2 || size == 4 || size == 8) && size == element.extent() &&
           category != type_category::pair && category != type_category::complex;
}

template <class Word> Word load(const std::byte *from) noexcept {
    Word value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// True for integers, logicals and bytes, and for MPI_CHAR, which programs use for bytes.
bool is_comparable(const datatype &element) noexcept {
    switch (category_of(element)) {
    case type_category::c_integer:
    case type_category::fortran_integer:
    case type_category::logical:
    case type_category::multi_language:
    case type_category::byte:
        return true;
    default:
        return element.facts() != nullptr && element.facts()->handle == handle_value(MPI_CHAR);
    }
}

std::array<element_traits, predefined_handles> all_traits() noexcept {
    std::array<element_traits, predefined_handles> all;
    for (std::size_t index = 0; index < predefined_handles; ++index) {
        const datatype *const type = predefined_datatypes[index];
        if (type == nullptr) {
            continue;
        }
        const auto size = static_cast<std::uint8_t>(type->size());
        const bool single = is_single(*type);
        all[index] = {.plain_size = type->plain() ? size : std::uint8_t{0},
                      .word_size = single ? size : std::uint8_t{0},
                      .adds = single && is_machine_integer(type->basic()),
                      .compares = is_comparable(*type)};
    }
    return all;
}

/// Calls `use` with a value of the unsigned type that has so many bytes.
template <class Use> void with_word(std::size_t size, Use use) {
    switch (size) {
    case 1:
        return use(std::uint8_t{});
    case 2:
        return use(std::uint16_t{});
    case 4:
        return use(std::uint32_t{});
    default:
        return use(std::uint64_t{});
    }
}

bool is_aligned(const std::byte *address, std::size_t to) noexcept {
    return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

std::optional<std::scoped_lock<spin_lock>> lock_if_any(spin_lock *lock) {
    return lock != nullptr ? std::optional<std::scoped_lock<spin_lock>>{std::in_place, *lock} : std::nullopt;
}

} // namespace

const std::array<element_traits, predefined_handles> traits_by_handle = all_traits();

element_update::element_update(const op &operation, const datatype &type)
    : operation_{&operation}, element_{type.facts() != nullptr ? &type : only_predefined(type)} {
    if (!operation.predefined()) [[unlikely]] {
        fail(MPI_ERR_OP, "accumulates take predefined operations only");
    }
    if (element_ == nullptr) [[unlikely]] {
        fail(MPI_ERR_TYPE, "the datatype at the target mixes several predefined types");
    }
    const known_operations &table = known();
    size_ = static_cast<std::size_t>(element_->size());
    single_ = is_single(*element_);
    bytes_ = category_of(*element_) == type_category::byte;
    if (&operation == table.replace || &operation == table.no_op) {
        how_ = &operation == table.replace ? manner::replace : manner::keep;
        return;
    }
    const basic_type basic = element_->basic();
    floating_ = basic == basic_type::float32 || basic == basic_type::float64;
    if (&operation == table.sum && single_ && (is_machine_integer(basic) || floating_)) [[likely]] {
        how_ = manner::add;
        return;
    }
    operation.check(*element_);
    kernels_ = operation.kernels_for(*element_);
    if (single_ && &operation == table.band) {
        how_ = manner::bit_and;
    } else if (single_ && &operation == table.bor) {
        how_ = manner::bit_or;
    } else if (single_ && &operation == table.bxor) {
        how_ = manner::bit_xor;
    }
}

namespace {

/// target = next(target), atomically. Returns the former value.
template <class Word, class Next> Word exchange_with(std::byte *target, Next next) noexcept {
    const auto word = word_at<Word>(target);
    Word seen = word.load(std::memory_order_relaxed);
    while (
        !word.compare_exchange_weak(seen, next(seen), std::memory_order_seq_cst, std::memory_order_relaxed)) {
    }
    return seen;
}

template <class Real, class Word> Word add_reals(std::byte *target, Word operand) noexcept {
    static_assert(sizeof(Real) == sizeof(Word));
    return exchange_with<Word>(target, [operand](Word seen) {
        return std::bit_cast<Word>(std::bit_cast<Real>(seen) + std::bit_cast<Real>(operand));
    });
}

} // namespace

std::uintptr_t element_update::handle() const noexcept {
    std::uintptr_t value = handle_value(MPI_OP_NULL);
    while (find_op(reinterpret_cast<MPI_Op>(value)) != operation_) {
        ++value;
    }
    return value;
}

template <class Word> void element_update::apply_at_once(std::byte *target, const std::byte *origin,
                                                         std::byte *result,
                                                         std::size_t count) const noexcept {
    const auto each = [&](auto change) {
        for (std::size_t i = 0; i < count; ++i) {
            std::byte *const at = target + i * sizeof(Word);
            const Word operand = origin != nullptr ? load<Word>(origin + i * sizeof(Word)) : Word{};
            const Word former = change(at, operand);
            if (result != nullptr) {
                std::memcpy(result + i * sizeof(Word), &former, sizeof former);
            }
        }
    };
    switch (how_) {
    case manner::keep:
        return each([](std::byte *at, Word) { return word_at<Word>(at).load(); });
    case manner::replace:
        return each([](std::byte *at, Word operand) { return word_at<Word>(at).exchange(operand); });
    case manner::add:
        if constexpr (sizeof(Word) == sizeof(float)) {
            if (floating_) {
                return each([](std::byte *at, Word operand) { return add_reals<float>(at, operand); });
            }
        }
        if constexpr (sizeof(Word) == sizeof(double)) {
            if (floating_) {
                return each([](std::byte *at, Word operand) { return add_reals<double>(at, operand); });
            }
        }
        return each([](std::byte *at, Word operand) { return word_at<Word>(at).fetch_add(operand); });
    case manner::bit_and:
        return each([](std::byte *at, Word operand) { return word_at<Word>(at).fetch_and(operand); });
    case manner::bit_or:
        return each([](std::byte *at, Word operand) { return word_at<Word>(at).fetch_or(operand); });
    case manner::bit_xor:
        return each([](std::byte *at, Word operand) { return word_at<Word>(at).fetch_xor(operand); });
    case manner::general:
        return each([this](std::byte *at, Word operand) {
            return exchange_with<Word>(at, [&](Word seen) {
                Word next = 0;
                kernels_.combine(reinterpret_cast<const std::byte *>(&operand),
                                 reinterpret_cast<const std::byte *>(&seen),
                                 reinterpret_cast<std::byte *>(&next), 1);
                return next;
            });
        });
    }
}

void element_update::apply_locked(std::byte *target, const std::byte *origin, std::byte *result,
                                  std::size_t count) const noexcept {
    const std::size_t bytes = count * size_;
    if (result != nullptr) {
        std::memcpy(result, target, bytes);
    }
    if (how_ == manner::replace) {
        std::memcpy(target, origin, bytes);
    } else if (how_ != manner::keep) {
        kernels().apply(origin, target, count);
    }
}

void element_update::apply_with_gaps(std::byte *target, const std::byte *origin, std::byte *result,
                                     std::size_t count) const noexcept {
    const auto elements = static_cast<MPI_Count>(count);
    const typed_buffer there{target, elements, *element_};
    if (result != nullptr) {
        pack(there, 0, {result, count * size_});
    }
    if (how_ == manner::replace) {
        unpack(there, 0, {origin, count * size_});
    } else if (how_ != manner::keep) {
        // The kernel needs each operand as one of the type: a pair, of which none is longer.
        alignas(16) std::byte operand[2 * sizeof(long double)];
        for (std::size_t at = 0; at != count; ++at, origin += size_, target += element_->extent()) {
            unpack({operand, 1, *element_}, 0, {origin, size_});
            kernels_.apply(operand, target, 1);
        }
    }
}

void element_update::apply(std::byte *target, const std::byte *origin, std::byte *result, std::size_t count,
                           const update_guard &guard) const noexcept {
    if (single_ && guard.lock != nullptr && !guard.always && is_aligned(target, size_)) [[likely]] {
        const auto whole = lock_if_any(bytes_ && count > 1 ? guard.lock : nullptr);
        with_word(size_, [&](auto word) { apply_at_once<decltype(word)>(target, origin, result, count); });
        return;
    }
    const auto alone = lock_if_any(guard.lock);
    if (single_ && count == 1 && is_aligned(target, size_)) {
        // By one store, since the owner may load the element in a loop without the lock.
        with_word(size_, [&](auto word) { apply_at_once<decltype(word)>(target, origin, result, count); });
    } else if (element_->size() == element_->extent()) {
        apply_locked(target, origin, result, count);
    } else {
        apply_with_gaps(target, origin, result, count);
    }
}

void check_compare_type(const datatype &type) {
    if (!is_comparable(type)) {
        fail(MPI_ERR_TYPE, "compare_and_swap takes integers, logicals and bytes only");
    }
}

bool compare_and_swap(const datatype &element, std::byte *target, const std::byte *compare,
                      const std::byte *origin, std::byte *result, const update_guard &guard) noexcept {
    const auto size = static_cast<std::size_t>(element.size());
    if (is_single(element) && !guard.always && is_aligned(target, size)) [[likely]] {
        bool swapped = false;
        with_word(size, [&](auto word) {
            using Word = decltype(word);
            Word expected = load<Word>(compare);
            swapped = word_at<Word>(target).compare_exchange_strong(expected, load<Word>(origin));
            std::memcpy(result, &expected, sizeof expected);
        });
        return swapped;
    }
    const auto alone = lock_if_any(guard.lock);
    std::byte former[16];
    std::memcpy(former, target, size);
    const bool swapped = std::memcmp(former, compare, size) == 0;
    if (swapped) {
        std::memcpy(target, origin, size);
    }
    std::memcpy(result, former, size);
    return swapped;
}

} // namespace lisle::rma
