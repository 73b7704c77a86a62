// SPDX-License-Identifier: Apache-2.0
// Elements of any type by their addresses. A test of all datatypes then is one class, not one for each:
// compilers take long for what it calls.
#pragma once

#include "memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

/// How elements of a type are combined and compared.
struct element_type {
    MPI_Datatype type;
    std::size_t size; ///< bytes
    std::function<void(void *held, const void *given)> combine;
    bool (*equal)(const void *, const void *);
};

template <class T, class Combine> element_type element_type_of(MPI_Datatype type, Combine combine) {
    const auto at = [](const void *element) { return *static_cast<const T *>(element); };
    return {type, sizeof(T),
            [at, combine](void *held, const void *given) {
                *static_cast<T *>(held) = combine(at(held), at(given));
            },
            [](const void *a, const void *b) {
                return *static_cast<const T *>(a) == *static_cast<const T *>(b);
            }};
}

/// Elements side by side: its own, all zero, or those in memory of somebody else.
class element_row {
  public:
    element_row(const element_type &type, int count)
        : type_{type}, own_((type.size * static_cast<std::size_t>(count) + sizeof(unit) - 1) / sizeof(unit)),
          bytes_{std::as_writable_bytes(std::span{own_}).first(type.size * static_cast<std::size_t>(count))} {
    }
    element_row(const element_type &type, std::span<std::byte> bytes) : type_{type}, bytes_{bytes} {}
    element_row(const element_row &) = delete;
    element_row &operator=(const element_row &) = delete;

    [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::byte *data() const noexcept { return bytes_.data(); }
    [[nodiscard]] std::byte *operator[](int i) const noexcept {
        return data() + static_cast<std::size_t>(i) * type_.size;
    }
    void combine(int i, const void *given) const { type_.combine((*this)[i], given); }
    [[nodiscard]] bool has(int i, const void *expected) const { return type_.equal((*this)[i], expected); }

  private:
    using unit = std::array<std::uint64_t, 4>; // a vector of bytes takes one after the other

    const element_type &type_;
    buffer_of<unit> own_;
    std::span<std::byte> bytes_;
};
