// SPDX-License-Identifier: Apache-2.0
// What can be sent and received into: objects of direct types, contiguous ranges of them, strided views, and
// whatever a program adapts by a function to_buffer(). All become the same three things: address, count,
// datatype. Also the words that go with buffers: borrow, in_place, resized.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/datatype/datatype.hpp"

namespace lisle {

/// Where data lies: what MPI is given. The common case, which owns nothing.
struct buffer {
    const void *address;
    MPI_Count count;
    MPI_Datatype type;

    /// For receiving. The buffer() overloads only make one of an object that may be written.
    [[nodiscard]] void *writable() const noexcept { return const_cast<void *>(address); }
};

namespace detail {

template <class R>
concept contiguous = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;
template <class R> using element_of =
    std::remove_cv_t<std::remove_reference_t<std::ranges::range_reference_t<R>>>;

template <class T>
concept text_literal = std::is_array_v<T> && std::is_same_v < std::remove_extent_t<T>,
const char > ;

} // namespace detail

/// A contiguous range of objects of a direct type: vector, span, string... Arrays, whose size is part of
/// their type, count as single objects.
template <class R>
concept direct_range = !direct<std::remove_cvref_t<R>> && detail::contiguous<std::remove_reference_t<R>> &&
                       direct<detail::element_of<std::remove_reference_t<R>>>;

/// A direct_range that can be given any size: vector, string.
template <class R>
concept resizable_range = direct_range<R> && requires(std::remove_cvref_t<R> &range, std::size_t size) {
    range.resize(size);
    std::remove_cvref_t<R>{};
};

/// A multi-dimensional view as std::mdspan is one: rank, extents and strides.
template <class V>
concept multidimensional_view = requires(const V &view, std::size_t dimension) {
    { view.data_handle() } -> std::convertible_to<const void *>;
    { view.extent(dimension) } -> std::convertible_to<std::size_t>;
    { view.stride(dimension) } -> std::convertible_to<std::ptrdiff_t>;
    { V::rank() } -> std::convertible_to<std::size_t>;
}
&&direct<std::remove_cvref_t<decltype(*std::declval<const V &>().data_handle())>>;

/// Some elements of an array, at regular distances: a column, a face, every third one. Sent and received in
/// one call, without a copy.
///
///     double plate[100][100];
///     world.send(lisle::strided{&plate[0][7], {100}, {100}}, 1);      // column 7
template <class T, std::size_t Rank> class strided {
  public:
    /// @param extents elements in each dimension @param strides distance in elements of T in each
    strided(T *first, const std::ptrdiff_t (&extents)[Rank], const std::ptrdiff_t (&strides)[Rank])
        : first_{first} {
        std::copy(extents, extents + Rank, extents_.begin());
        std::copy(strides, strides + Rank, strides_.begin());
    }
    /// How many dimensions there are.
    static constexpr std::size_t rank() noexcept { return Rank; }
    /// Where the first element lies.
    [[nodiscard]] T *data_handle() const noexcept { return first_; }
    /// How many elements a dimension has.
    [[nodiscard]] std::size_t extent(std::size_t dimension) const noexcept {
        return static_cast<std::size_t>(extents_[dimension]);
    }
    /// How many elements lie between neighbours in a dimension.
    [[nodiscard]] std::ptrdiff_t stride(std::size_t dimension) const noexcept { return strides_[dimension]; }

  private:
    T *first_;
    std::array<std::ptrdiff_t, Rank> extents_{};
    std::array<std::ptrdiff_t, Rank> strides_{};
};

namespace detail {

/// A buffer whose datatype was made for it.
struct shaped_buffer : buffer {
    shaped_buffer(const void *first, MPI_Datatype made) : buffer{first, 1, made}, owner{made} {}
    owned<datatype> owner;
};

template <multidimensional_view V> shaped_buffer shape(const V &view) {
    using element = std::remove_cvref_t<decltype(*view.data_handle())>;
    owned<datatype> shape;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous_c(wire<element>::count, strict(wire<element>::type()), &made),
          "MPI_Type_contiguous");
    shape.reset(made);
    for (std::size_t dimension = V::rank(); dimension-- != 0;) {
        const MPI_Count stride =
            static_cast<MPI_Count>(view.stride(dimension)) * static_cast<MPI_Count>(sizeof(element));
        check(MPI_Type_create_hvector_c(static_cast<MPI_Count>(view.extent(dimension)), 1, stride,
                                        shape.native(), &made),
              "MPI_Type_create_hvector");
        shape.reset(made);
    }
    made = shape.release();
    const int code = MPI_Type_commit(&made);
    check(code, "MPI_Type_commit");
    return shaped_buffer{view.data_handle(), made};
}

} // namespace detail

/// True if a function `lisle::buffer to_buffer(T &)` says what of a T travels.
template <class T>
concept adapted = requires(T &object) {
    { to_buffer(object) } -> std::convertible_to<buffer>;
};

/// Whatever lies in memory as direct objects. Adapt a class of your own by a function found by its arguments,
/// `lisle::buffer to_buffer(my_matrix &)`, and one for `const my_matrix &`.
template <class T>
concept direct_buffer = adapted<std::remove_reference_t<T>> || direct<std::remove_cvref_t<T>> ||
    direct_range<T> || multidimensional_view<std::remove_cvref_t<T>>;

/// The buffer of an object. The object must live until the operation is complete.
template <direct_buffer T> [[nodiscard]] auto as_buffer(T &&object) {
    using type = std::remove_cvref_t<T>;
    if constexpr (adapted<std::remove_reference_t<T>>) {
        return to_buffer(object);
    } else if constexpr (detail::text_literal<std::remove_reference_t<T>>) {
        const std::string_view text{object}; // without the zero at its end
        return buffer{text.data(), static_cast<MPI_Count>(text.size()), MPI_CHAR};
    } else if constexpr (direct<type>) {
        return buffer{std::addressof(object), detail::wire<type>::count, detail::wire<type>::type()};
    } else if constexpr (direct_range<T>) {
        using element = detail::element_of<std::remove_reference_t<T>>;
        return buffer{std::ranges::data(object),
                      static_cast<MPI_Count>(std::ranges::size(object)) * detail::wire<element>::count,
                      detail::wire<element>::type()};
    } else {
        return detail::shape(object);
    }
}

namespace detail {

/// True for adapted objects that only refer to memory: a non-blocking operation cannot own it with them.
template <class T> inline constexpr bool only_looks = false;

/// The buffer of an object that is a message.
template <direct_buffer T> [[nodiscard]] auto message_buffer(T &&object) {
    auto data = as_buffer(object);
    data.type = strict(data.type);
    return data;
}

template <class T> struct may_write : std::bool_constant<!std::is_const_v<std::remove_reference_t<T>>> {};
template <class T>
requires(direct_range<T>) struct may_write<T>
    : std::bool_constant<!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>> {
};
template <class T>
requires(multidimensional_view<std::remove_cvref_t<T>>) struct may_write<T>
    : std::bool_constant<!std::is_const_v<
          std::remove_reference_t<decltype(*std::declval<std::remove_reference_t<T> &>().data_handle())>>> {
};

} // namespace detail

/// A direct_buffer that can be received into.
template <class T>
concept writable_buffer = direct_buffer<T> && detail::may_write<T>::value;

/// Says that an object outside a non-blocking operation is used by it: the caller keeps it alive and leaves
/// it alone until the operation is complete. Made by borrow().
template <class T> class borrowed {
  public:
    explicit borrowed(T &object) noexcept : object_{&object} {}
    /// The object that is lent.
    [[nodiscard]] T &get() const noexcept { return *object_; }

  private:
    T *object_;
};
/// `world.isend(lisle::borrow(values), 1)`; see borrowed.
template <class T> [[nodiscard]] borrowed<T> borrow(T &object) noexcept {
    return borrowed<T>{object};
}
template <class T> [[nodiscard]] borrowed<const T> borrow(const T &&object) noexcept {
    static_assert(
        detail::always_false<T>,
        "This is a temporary, which ends before the operation that would use it: give it a name that "
        "lives until the operation is complete, or move it in without borrow().");
    return borrow(object);
}

/// The result replaces what was given: made by in_place().
template <class T> struct in_place_t { T &object; };
/// The same for an operation that goes on after the call: made by in_place(borrow(object)).
template <class T> struct lent_in_place_t { T &object; };
/// `world.allreduce(lisle::in_place(sums), std::plus<>{})`
template <class T> [[nodiscard]] in_place_t<T> in_place(T &object) noexcept {
    return {object};
}
/// `world.iallreduce(lisle::in_place(lisle::borrow(sums)), std::plus<>{})`
template <class T> [[nodiscard]] lent_in_place_t<T> in_place(const borrowed<T> &lent) noexcept {
    return {lent.get()};
}

/// The container gets the size that the data has: made by resized().
template <class T> struct resized_t { T &object; };
/// `world.broadcast(lisle::resized(values))`: the root's size becomes everybody's.
template <class T> [[nodiscard]] resized_t<T> resized(T &object) noexcept {
    return {object};
}

/// The container gets longer if the data needs it, and never shorter: made by grown().
template <class T> struct grown_t { T &object; };
/// `world.receive_into(lisle::grown(values), 0)`: what lies behind the data stays as it was.
template <class T> [[nodiscard]] grown_t<T> grown(T &object) noexcept {
    return {object};
}

/// A range that a collective treats as one object: made by whole().
template <class T> struct whole_t { T &&object; };
/// `world.allgather(lisle::whole(values))`: a vector of vectors, which may have any lengths. Applies to what
/// is lent, too: `whole(borrow(values))`.
template <class T> [[nodiscard]] whole_t<T> whole(T &&object) noexcept {
    return {std::forward<T>(object)};
}
/// A range whose elements a collective takes: made by elements().
template <class T> struct elements_t { T &&object; };
/// `world.allgather(lisle::elements(text))`: the characters of all, where a string is one object otherwise.
template <class T> [[nodiscard]] elements_t<T> elements(T &&object) noexcept {
    return {std::forward<T>(object)};
}

namespace detail {

/// True for what borrow(), in_place(), resized() and grown() make: functions that take those have overloads
/// for them.
template <class T> inline constexpr bool is_wrapper = false;
template <class T> inline constexpr bool is_wrapper<borrowed<T>> = true;
template <class T> inline constexpr bool is_wrapper<in_place_t<T>> = true;
template <class T> inline constexpr bool is_wrapper<lent_in_place_t<T>> = true;
template <class T> inline constexpr bool is_wrapper<resized_t<T>> = true;
template <class T> inline constexpr bool is_wrapper<grown_t<T>> = true;
/// True for what whole() and elements() make, which collectives take like the object itself.
template <class T> inline constexpr bool sets_grain = false;
template <class T> inline constexpr bool sets_grain<whole_t<T>> = true;
template <class T> inline constexpr bool sets_grain<elements_t<T>> = true;

} // namespace detail

} // namespace lisle
