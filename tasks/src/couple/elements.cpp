// SPDX-License-Identifier: Apache-2.0
#include "couple/elements.hpp"

#include <cstring>

#include <lisle/detail/error.hpp>

namespace lisle::couple::detail {

namespace {
template <class Number> Number load(const std::byte *element) noexcept {
    Number value{};
    std::memcpy(&value, element, sizeof value);
    return value;
}
template <class Number> void put(std::byte *element, double value) noexcept {
    const auto narrowed = static_cast<Number>(value);
    std::memcpy(element, &narrowed, sizeof narrowed);
}
} // namespace

number_kind kind_of(MPI_Datatype type) {
    if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION || type == MPI_REAL8) {
        return number_kind::real64;
    }
    return type == MPI_FLOAT || type == MPI_REAL || type == MPI_REAL4 ? number_kind::real32
                                                                      : number_kind::other;
}

std::size_t size_of(MPI_Datatype type) {
    MPI_Count lower = 0, extent = 0;
    lisle::detail::check(MPI_Type_get_extent_c(type, &lower, &extent), "MPI_Type_get_extent_c");
    return static_cast<std::size_t>(extent);
}

std::byte *element_at(const field_place &field, std::size_t element_bytes, std::int64_t places,
                      std::int64_t place, std::int64_t level) {
    const std::int64_t level_stride =
        field.level_stride != 0 ? field.level_stride : places * field.point_stride;
    return static_cast<std::byte *>(field.data) +
           static_cast<std::size_t>(place * field.point_stride + level * level_stride) * element_bytes;
}

double number_at(const std::byte *element, number_kind kind) noexcept {
    return kind == number_kind::real64 ? load<double>(element) : static_cast<double>(load<float>(element));
}
void store_number(std::byte *element, number_kind kind, double value) noexcept {
    if (kind == number_kind::real64) {
        put<double>(element, value);
    } else {
        put<float>(element, value);
    }
}

dense_field::dense_field(MPI_Datatype type, std::int64_t places, std::int64_t levels)
    : type_{type}, kind_{kind_of(type)}, places_{places}, levels_{levels}, element_bytes_{size_of(type)},
      bytes_(static_cast<std::size_t>(places * levels) * element_bytes_) {}

void dense_field::copy_from(const field_place &field) {
    std::byte *to = bytes_.data();
    for (std::int64_t level = 0; level != levels_; ++level) {
        if (field.point_stride == 1 && places_ != 0) {
            std::memcpy(to, element_at(field, element_bytes_, places_, 0, level),
                        static_cast<std::size_t>(places_) * element_bytes_);
            to += static_cast<std::size_t>(places_) * element_bytes_;
            continue;
        }
        for (std::int64_t place = 0; place != places_; ++place, to += element_bytes_) {
            std::memcpy(to, element_at(field, element_bytes_, places_, place, level), element_bytes_);
        }
    }
}

void dense_field::copy_to(const field_place &field) const {
    const std::byte *from = bytes_.data();
    for (std::int64_t level = 0; level != levels_; ++level) {
        for (std::int64_t place = 0; place != places_; ++place, from += element_bytes_) {
            std::memcpy(element_at(field, element_bytes_, places_, place, level), from, element_bytes_);
        }
    }
}

double dense_field::operator[](std::int64_t index) const {
    return number_at(element(index), kind_);
}
void dense_field::store(std::int64_t index, double value) {
    store_number(element(index), kind_, value);
}

} // namespace lisle::couple::detail
