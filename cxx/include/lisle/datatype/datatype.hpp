// SPDX-License-Identifier: Apache-2.0
// From types of C++ to datatypes of MPI. A direct type has one: arithmetic types, enums, std::complex,
// std::byte, arrays of direct types, and classes all of whose fields are direct, unless they have functions
// of their own for archives. Padding never travels. A direct type without padding and with only one type of
// number in it travels as an array of that number, so it needs no datatype of its own; the others get one
// that is built once for each rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "lisle/datatype/fields.hpp"
#include "lisle/datatype/own_functions.hpp"
#include "lisle/detail/config.hpp"
#include "lisle/detail/error.hpp"
#include "lisle/detail/mpi3.hpp"
#include "lisle/detail/owned.hpp"
#include "lisle/detail/rank_data.hpp"

namespace lisle {

namespace detail {

template <class T> struct array_traits : std::false_type {};
template <class T, std::size_t N> struct array_traits<std::array<T, N>> : std::bool_constant<(N > 0)> {
    using element = T;
    static constexpr std::size_t size = N;
};
template <class T, std::size_t N> struct array_traits<T[N]> : std::true_type {
    using element = T;
    static constexpr std::size_t size = N;
};

/// True for std::complex, which is known by its name: <complex> would bring all of the streams with it.
template <class T> consteval bool named_complex() {
    return std::string_view{__PRETTY_FUNCTION__}.find("T = std::complex<") != std::string_view::npos;
}
template <class T> struct is_complex : std::false_type {};
template <class T>
requires(std::is_class_v<T> &&std::is_floating_point_v<typename T::value_type> &&
         sizeof(T) == 2 * sizeof(typename T::value_type)) struct is_complex<T>
    : std::bool_constant<named_complex<T>()> {
};

/// A type of which more is known than its name.
template <class T>
concept defined = requires {
    sizeof(T);
};

/// A type that MPI has a constant for.
template <class T>
concept basic = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T>::value;

template <class T> consteval bool is_direct();
template <class... Fields> consteval bool all_direct(type_list<Fields...>) {
    return (is_direct<Fields>() && ...);
}
template <class T> consteval bool is_direct() {
    using type = std::remove_cv_t<T>;
    if constexpr (!defined<type>)
        return false;
    else if constexpr (basic<type>)
        return true;
    else if constexpr (array_traits<type>::value)
        return is_direct<typename array_traits<type>::element>();
    else if constexpr (!std::is_class_v<type> || !std::is_trivially_destructible_v<type>)
        return false;
    else if constexpr (send_as_bytes<type>)
        return std::is_trivially_copyable_v<type>;
    else if constexpr (names_fields<type>)
        return all_direct(field_types<type>{});
    else if constexpr (reflected<type> && !std::is_polymorphic_v<type>)
        return !has_own_functions<type>() && !has_bit_field<type> && all_direct(field_types<type>{});
    else
        return false;
}

} // namespace detail

/// A type whose objects MPI can send where they lie: see the top of this file.
template <class T>
concept direct = detail::is_direct<T>();

namespace detail {

/// MPI's constant for a basic type.
template <basic T> MPI_Datatype basic_type() noexcept {
    if constexpr (std::is_same_v<T, std::byte>)
        return MPI_BYTE;
    else if constexpr (std::is_enum_v<T>)
        return basic_type<std::underlying_type_t<T>>();
    else if constexpr (std::is_same_v<T, bool>)
        return MPI_CXX_BOOL;
    else if constexpr (std::is_same_v<T, char>)
        return MPI_CHAR;
    else if constexpr (std::is_same_v<T, wchar_t>)
        return MPI_WCHAR;
    else if constexpr (std::is_same_v<T, float>)
        return MPI_FLOAT;
    else if constexpr (std::is_same_v<T, double>)
        return MPI_DOUBLE;
    else if constexpr (std::is_same_v<T, long double>)
        return MPI_LONG_DOUBLE;
    else if constexpr (is_complex<T>::value)
        return std::is_same_v<typename T::value_type, float>    ? MPI_CXX_FLOAT_COMPLEX
               : std::is_same_v<typename T::value_type, double> ? MPI_CXX_DOUBLE_COMPLEX
                                                                : MPI_CXX_LONG_DOUBLE_COMPLEX;
    else if constexpr (std::is_same_v<T, int>)
        return MPI_INT;
    else if constexpr (std::is_same_v<T, unsigned>)
        return MPI_UNSIGNED;
    else if constexpr (std::is_same_v<T, long>)
        return MPI_LONG;
    else if constexpr (std::is_same_v<T, unsigned long>)
        return MPI_UNSIGNED_LONG;
    else if constexpr (std::is_same_v<T, long long>)
        return MPI_LONG_LONG;
    else if constexpr (std::is_same_v<T, unsigned long long>)
        return MPI_UNSIGNED_LONG_LONG;
    else if constexpr (std::is_same_v<T, short>)
        return MPI_SHORT;
    else if constexpr (std::is_same_v<T, unsigned short>)
        return MPI_UNSIGNED_SHORT;
    else if constexpr (std::is_same_v<T, signed char>)
        return MPI_SIGNED_CHAR;
    else if constexpr (std::is_same_v<T, unsigned char>)
        return MPI_UNSIGNED_CHAR;
    else if constexpr (sizeof(T) == 1)
        return MPI_UINT8_T; // char8_t, char16_t and char32_t are unsigned numbers
    else if constexpr (sizeof(T) == 2)
        return MPI_UINT16_T;
    else
        return MPI_UINT32_T;
}

/// The datatype as messages name it: with Lisle in its strict form, so that a message is received as what it
/// was sent as. (A constant, once it is compiled into a call. Types of a program's own stay as they are.)
[[nodiscard]] inline MPI_Datatype strict(MPI_Datatype type) noexcept {
#if LISLE_USE_EXTENSIONS
    constexpr std::uintptr_t end_of_constants = 0x400;
    const auto handle = reinterpret_cast<std::uintptr_t>(type);
    if (handle < end_of_constants && type != MPI_DATATYPE_NULL && type != MPI_BYTE)
        return reinterpret_cast<MPI_Datatype>(handle + MPIX_STRICT);
#endif
    return type;
}

/// The basic type that T is an array of, without padding; void if there is none.
template <class T> consteval auto uniform_of();
template <class T> struct as_type { using type = T; };
template <class T> using uniform = typename decltype(uniform_of<std::remove_cv_t<T>>())::type;

template <class First, class... Others> consteval auto common_uniform(type_list<First, Others...>) {
    if constexpr ((std::is_same_v<uniform<First>, uniform<Others>> && ...))
        return as_type<uniform<First>>{};
    else
        return as_type<void>{};
}
template <class... Fields> consteval std::size_t sum_of_sizes(type_list<Fields...>) {
    return (sizeof(Fields) + ...);
}

template <class T> consteval auto uniform_of() {
    if constexpr (basic<T>)
        return as_type<T>{};
    else if constexpr (array_traits<T>::value)
        return as_type<uniform<typename array_traits<T>::element>>{};
    else if constexpr (send_as_bytes<T>)
        return as_type<std::byte>{};
    else if constexpr (sum_of_sizes(field_types<T>{}) == sizeof(T))
        return common_uniform(field_types<T>{});
    else
        return as_type<void>{};
}

/// Bytes that one T is on the wire: its fields without the padding between them.
template <class T> consteval std::size_t bytes_on_wire() {
    using type = std::remove_cv_t<T>;
    if constexpr (!std::is_void_v<uniform<type>>)
        return sizeof(type);
    else if constexpr (array_traits<type>::value)
        return array_traits<type>::size * bytes_on_wire<typename array_traits<type>::element>();
    else
        return []<class... Fields>(type_list<Fields...>) {
            return (bytes_on_wire<Fields>() + ...);
        }(field_types<type>{});
}

template <direct T> MPI_Datatype build_type();

/// The committed datatype of one T, made at the first use by the rank and freed by MPI_Finalize.
template <direct T> MPI_Datatype cached_type() {
    return handle_of<MPI_Datatype>(rank_data([]() -> void * { return value_of(build_type<T>()); },
                                             [](void *made) {
                                                 auto type = handle_of<MPI_Datatype>(made);
                                                 MPI_Type_free(&type);
                                             }));
}

/// How objects of a direct type travel: `count` elements of the datatype `type()` for each.
template <direct T> struct wire {
    static constexpr bool uniform_type = !std::is_void_v<uniform<T>>;
    static constexpr MPI_Count count = [] {
        if constexpr (uniform_type)
            return static_cast<MPI_Count>(sizeof(T) / sizeof(uniform<T>));
        else if constexpr (array_traits<T>::value)
            return static_cast<MPI_Count>(array_traits<T>::size) *
                   wire<typename array_traits<T>::element>::count;
        else
            return MPI_Count{1};
    }();
    static MPI_Datatype type() {
        if constexpr (uniform_type)
            return basic_type<uniform<T>>();
        else if constexpr (array_traits<T>::value)
            return wire<std::remove_cv_t<typename array_traits<T>::element>>::type();
        else
            return cached_type<T>();
    }
};

template <direct T> MPI_Datatype build_type() {
    union storage {
        storage() {}
        ~storage() {}
        char nothing;
        T object;
    } place;
    MPI_Datatype structure = MPI_DATATYPE_NULL;
    if constexpr (wire<T>::uniform_type || array_traits<T>::value) {
        check(MPI_Type_contiguous_c(wire<T>::count, strict(wire<T>::type()), &structure),
              "MPI_Type_contiguous");
    } else {
        visit_fields(place.object, [&]<class... Fields>(Fields &...fields) {
            constexpr std::size_t count = sizeof...(Fields);
            const auto *const base = reinterpret_cast<const char *>(&place.object);
            const std::array<MPI_Count, count> lengths{wire<std::remove_cv_t<Fields>>::count...};
            const std::array<MPI_Count, count> offsets{
                static_cast<MPI_Count>(reinterpret_cast<const char *>(&fields) - base)...};
            const std::array<MPI_Datatype, count> types{strict(wire<std::remove_cv_t<Fields>>::type())...};
            check(MPI_Type_create_struct_c(static_cast<MPI_Count>(count), lengths.data(), offsets.data(),
                                           types.data(), &structure),
                  "MPI_Type_create_struct");
        });
    }
    MPI_Datatype whole = MPI_DATATYPE_NULL;
    const int code = MPI_Type_create_resized_c(structure, 0, static_cast<MPI_Count>(sizeof(T)), &whole);
    MPI_Type_free(&structure);
    check(code, "MPI_Type_create_resized");
    check(MPI_Type_commit(&whole), "MPI_Type_commit");
    return whole;
}

} // namespace detail

/// The datatype of one object of a direct type, for calls of C. It belongs to the rank: do not free it.
///
///     MPI_Datatype type = lisle::datatype_of<particle>();
template <direct T> [[nodiscard]] MPI_Datatype datatype_of() {
    if constexpr (detail::wire<T>::uniform_type && detail::wire<T>::count == 1)
        return detail::wire<T>::type();
    else
        return detail::cached_type<T>();
}

/// A datatype made by hand; owned<datatype> frees it.
class datatype {
  public:
    using native_type = MPI_Datatype;
    explicit datatype(MPI_Datatype type) noexcept : type_{type} {}
    /// The handle, for calls of C.
    [[nodiscard]] MPI_Datatype native() const noexcept { return type_; }
    /// For owned<>: the handle of none.
    static MPI_Datatype null() noexcept { return MPI_DATATYPE_NULL; }
    /// For owned<>: MPI_Type_free.
    static void free(MPI_Datatype type) noexcept { MPI_Type_free(&type); }

  private:
    MPI_Datatype type_;
};

} // namespace lisle
