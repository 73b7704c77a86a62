// SPDX-License-Identifier: Apache-2.0
// Elements of fields as numbers, where couplings compute with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <lisle/couple/exchange.hpp>

namespace lisle::couple::detail {

/// What is known of a field's elements.
enum class number_kind : std::int32_t { real64, real32, other };
[[nodiscard]] number_kind kind_of(MPI_Datatype type);
/// Bytes from one element to the next.
[[nodiscard]] std::size_t size_of(MPI_Datatype type);

/// The element of a place on a level.
[[nodiscard]] std::byte *element_at(const field_place &field, std::size_t element_bytes, std::int64_t places,
                                    std::int64_t place, std::int64_t level);

/// Level after level, each with an element for each place: what a coupling keeps of a field.
class dense_field {
  public:
    dense_field(MPI_Datatype type, std::int64_t places, std::int64_t levels);

    [[nodiscard]] field_place place() { return {bytes_.data(), type_, levels_}; }
    [[nodiscard]] std::int64_t size() const noexcept { return places_ * levels_; }
    [[nodiscard]] std::int64_t places() const noexcept { return places_; }
    [[nodiscard]] std::int64_t levels() const noexcept { return levels_; }
    [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }
    /// Takes over all elements of a field with as many places and levels, of the same type.
    void copy_from(const field_place &field);
    /// Gives all of them to such a field.
    void copy_to(const field_place &field) const;
    [[nodiscard]] std::byte *element(std::int64_t index) noexcept {
        return bytes_.data() + static_cast<std::size_t>(index) * element_bytes_;
    }
    [[nodiscard]] const std::byte *element(std::int64_t index) const noexcept {
        return bytes_.data() + static_cast<std::size_t>(index) * element_bytes_;
    }
    /// @pre the elements are floating-point numbers
    [[nodiscard]] double operator[](std::int64_t index) const;
    void store(std::int64_t index, double value);

  private:
    MPI_Datatype type_;
    number_kind kind_;
    std::int64_t places_, levels_;
    std::size_t element_bytes_;
    std::vector<std::byte> bytes_;
};

/// An element of a field as a number. @pre it is a floating-point number
[[nodiscard]] double number_at(const std::byte *element, number_kind kind) noexcept;
void store_number(std::byte *element, number_kind kind, double value) noexcept;

} // namespace lisle::couple::detail
