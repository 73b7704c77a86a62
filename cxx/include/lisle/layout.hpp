// SPDX-License-Identifier: Apache-2.0
// What lies in several places and travels as one message, without a copy: chosen elements of an array
// (layout), several objects (together), all that an object of the standard library holds (content).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "lisle/datatype/buffer.hpp"

namespace lisle {

template <direct T> class layout;

/// The elements of one array that a layout names, to be sent or received into: layout::of() makes it. The
/// array must live as long, and so must the layout, unless it is a temporary.
template <class T> class laid_out {
  public:
    friend buffer to_buffer(const laid_out &object) noexcept { return {object.first_, 1, object.type_}; }

  private:
    friend class layout<std::remove_const_t<T>>;
    laid_out(T *first, MPI_Datatype type, std::shared_ptr<const owned<datatype>> owner)
        : first_{first}, type_{type}, owner_{std::move(owner)} {}

    T *first_;
    MPI_Datatype type_;
    std::shared_ptr<const owned<datatype>> owner_; ///< of the type, if the layout is gone
};

/// Which elements of an array of T a message has, and in which order, wherever the array lies. A value:
/// copies share one datatype of MPI, which is freed with the last one. Calls of MPI make it: not before
/// MPI_Init.
///
///     const auto edge = lisle::layout<double>::indexed({3, 17, 4});
///     world.send(edge.of(field), next);
///     world.receive_into(edge.of(ghosts), previous);
template <direct T> class layout {
  public:
    /// Neighbouring elements.
    struct block {
        std::ptrdiff_t first;
        std::ptrdiff_t length;
    };

    /// The elements with these numbers.
    template <std::ranges::input_range Numbers> [[nodiscard]] static layout indexed(const Numbers &numbers) {
        std::vector<block> blocks;
        for (const auto number : numbers)
            blocks.push_back({static_cast<std::ptrdiff_t>(number), 1});
        return layout{blocks};
    }
    [[nodiscard]] static layout indexed(std::initializer_list<std::ptrdiff_t> numbers) {
        return indexed<std::initializer_list<std::ptrdiff_t>>(numbers);
    }
    /// Blocks of elements, one after the other.
    [[nodiscard]] static layout blocks(const std::vector<block> &blocks) { return layout{blocks}; }

    /// This layout so many times, each time so many elements further on.
    [[nodiscard]] layout repeated(std::ptrdiff_t times, std::ptrdiff_t distance) const {
        if (times < 0)
            detail::raise(MPI_ERR_COUNT, "lisle::layout", {{"times", times}},
                          "a layout is repeated less than never");
        std::vector<block> places;
        for (std::ptrdiff_t i = 0; i < times; ++i)
            places.push_back({i * distance, 1});
        layout made;
        for (const block &each : places)
            made.reach(*this, each.first);
        made.count_ = count_ * times;
        made.adopt([&](MPI_Datatype *type) {
            return MPI_Type_create_hvector_c(times, 1, distance * wide, type_->native(), type);
        });
        return made;
    }
    /// The elements of this layout, then those of another one.
    [[nodiscard]] layout then(const layout &next) const {
        layout made;
        made.reach(*this, 0);
        made.reach(next, 0);
        made.count_ = count_ + next.count_;
        const std::array<MPI_Count, 2> lengths{1, 1}, places{0, 0};
        const std::array types{type_->native(), next.type_->native()};
        made.adopt([&](MPI_Datatype *type) {
            return MPI_Type_create_struct_c(2, lengths.data(), places.data(), types.data(), type);
        });
        return made;
    }

    /// The number of elements.
    [[nodiscard]] std::ptrdiff_t size() const noexcept { return count_; }
    /// The elements of a range. Throws an error of class MPI_ERR_ARG if it does not have them all.
    template <class Array>
    requires detail::contiguous<Array> && std::is_same_v<detail::element_of<Array>, T>
    [[nodiscard]] auto of(Array &&array) const & { return elements_of<Array>(array, nullptr); }
    template <class Array>
    requires detail::contiguous<Array> && std::is_same_v<detail::element_of<Array>, T>
    [[nodiscard]] auto of(Array &&array) && { return elements_of<Array>(array, type_); }

  private:
    static constexpr MPI_Count wide = static_cast<MPI_Count>(sizeof(T));

    layout() = default;
    explicit layout(const std::vector<block> &blocks) {
        std::vector<MPI_Count> lengths, places;
        for (const block &each : blocks) {
            if (each.length < 0)
                detail::raise(MPI_ERR_COUNT, "lisle::layout", {{"length", each.length}},
                              "a block's length is negative");
            lengths.push_back(each.length * detail::wire<T>::count);
            places.push_back(each.first * wide);
            count_ += each.length;
            if (each.length > 0)
                reach(each.first, each.first + each.length);
        }
        adopt([&](MPI_Datatype *type) {
            return MPI_Type_create_hindexed_c(static_cast<MPI_Count>(lengths.size()), lengths.data(),
                                              places.data(), detail::strict(detail::wire<T>::type()), type);
        });
    }

    template <class Array>
    auto elements_of(Array &array, std::shared_ptr<const owned<datatype>> owner) const {
        static_assert(std::is_lvalue_reference_v<Array> || std::ranges::borrowed_range<Array>,
                      "This array is a temporary, which ends before its elements are sent: give it a name.");
        const auto size = static_cast<std::ptrdiff_t>(std::ranges::size(array));
        if (least_ < 0 || end_ > size)
            detail::raise(MPI_ERR_ARG, "lisle::layout",
                          {{"elements", size}, {"least number", least_}, {"greatest number", end_ - 1}},
                          "the layout names elements that the array does not have");
        auto *const first = std::ranges::data(array);
        return laid_out<std::remove_pointer_t<decltype(first)>>{first, type_->native(), std::move(owner)};
    }

    void reach(std::ptrdiff_t first, std::ptrdiff_t end) {
        least_ = std::min(least_, first);
        end_ = std::max(end_, end);
    }
    void reach(const layout &part, std::ptrdiff_t moved) {
        if (part.count_ != 0)
            reach(part.least_ + moved, part.end_ + moved);
    }
    /// Takes the datatype that a call makes.
    template <class Make> void adopt(Make make) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        detail::check(make(&type), "lisle::layout");
        auto made = std::make_shared<owned<datatype>>(type);
        detail::check(MPI_Type_commit(&type), "MPI_Type_commit");
        type_ = std::move(made);
    }

    std::shared_ptr<const owned<datatype>> type_;
    std::ptrdiff_t count_ = 0;
    std::ptrdiff_t least_ = 0; ///< of the numbers
    std::ptrdiff_t end_ = 0;   ///< behind the greatest number
};

namespace detail {

template <class T> inline constexpr bool only_looks<laid_out<T>> = true;
template <class T> struct may_write<laid_out<const T>> : std::false_type {};
template <class T> struct may_write<laid_out<const T> &> : std::false_type {};
template <class T> struct may_write<const laid_out<T>> : std::true_type {};
template <class T> struct may_write<const laid_out<T> &> : std::true_type {};

/// Places in memory, each with a datatype of its own, that become one datatype.
class place_list {
  public:
    template <direct_buffer T> void add(T &object) {
        auto lies = as_buffer(object);
        if (lies.count == 0)
            return;
        addresses_.push_back(lies.address);
        lengths_.push_back(lies.count);
        types_.push_back(strict(lies.type));
        if constexpr (!std::is_same_v<decltype(lies), buffer>)
            owners_.push_back(std::move(lies.owner));
    }
    void reserve(std::size_t places) {
        addresses_.reserve(places);
        lengths_.reserve(places);
        types_.reserve(places);
    }
    /// All places as one, from the first on.
    [[nodiscard]] shaped_buffer join() const {
        std::vector<MPI_Count> distances;
        distances.reserve(addresses_.size());
        for (const void *const each : addresses_)
            distances.push_back(static_cast<MPI_Count>(static_cast<const char *>(each) -
                                                       static_cast<const char *>(addresses_.front())));
        MPI_Datatype made = MPI_DATATYPE_NULL;
        check(MPI_Type_create_struct_c(static_cast<MPI_Count>(distances.size()), lengths_.data(),
                                       distances.data(), types_.data(), &made),
              "MPI_Type_create_struct");
        shaped_buffer all{addresses_.empty() ? nullptr : addresses_.front(), made};
        check(MPI_Type_commit(&made), "MPI_Type_commit");
        return all;
    }

  private:
    std::vector<const void *> addresses_;
    std::vector<MPI_Count> lengths_;
    std::vector<MPI_Datatype> types_;
    std::vector<owned<datatype>> owners_;
};

/// A container whose elements have no addresses.
template <class T>
concept of_values =
    std::ranges::range<T &> && !std::is_lvalue_reference_v<std::ranges::range_reference_t<T &>>;

/// Adds what an object holds, however deep, and wherever it lies.
template <class T> void add_content(place_list &places, T &object) {
    using type = std::remove_const_t<T>;
    if constexpr (direct_buffer<T &>) {
        places.add(object);
    } else if constexpr (of_values<T>) {
        static_assert(always_false<T>,
                      "The elements of this container lie nowhere in memory (std::vector<bool>).");
    } else if constexpr (std::ranges::forward_range<T &>) {
        for (auto &each : object)
            add_content(places, each);
    } else if constexpr (requires {
                             *object;
                             static_cast<bool>(object);
                         } &&
                         !std::is_pointer_v<type>) {
        if (object)
            add_content(places, *object);
    } else if constexpr (requires { std::tuple_size<type>::value; }) {
        std::apply([&](auto &...each) { (add_content(places, each), ...); }, object);
    } else {
        static_assert(
            reflected<type> || names_fields<type>,
            "lisle::content() finds what lies in numbers, arrays, containers, optionals, smart pointers, "
            "tuples and aggregates of these.");
        visit_fields(object, [&](auto &...each) { (add_content(places, each), ...); });
    }
}

} // namespace detail

/// Several places in memory as one message: together() and content() make it. What lies there must live as
/// long, and stay where it is.
template <bool Writable> class scattered {
  public:
    explicit scattered(const detail::place_list &places) : all_{places.join()} {}
    friend buffer to_buffer(const scattered &object) noexcept { return object.all_; }

  private:
    detail::shaped_buffer all_;
};

/// Several objects, which lie anywhere in memory, as one message.
///
///     world.send(lisle::together(step, time, field), next);
///     world.receive_into(lisle::together(step, time, field), previous); // as large as what is sent
template <class... Objects>
requires(direct_buffer<Objects &> &&...) [[nodiscard]] auto together(Objects &...objects) {
    detail::place_list places;
    places.reserve(sizeof...(objects));
    (places.add(objects), ...);
    return scattered<(writable_buffer<Objects &> && ...)>{places};
}

/// All that an object holds, as one message: for structures whose shape stays, and is sent once. Later
/// messages then have the numbers alone, from where they lie to where they lie.
///
///     world.broadcast(cells);                          // a std::vector<std::vector<double>>: the shape
///     const auto values = lisle::content(cells);
///     for (...) rank == 0 ? world.send(values, 1) : (void)world.receive_into(values, 0);
template <class T> [[nodiscard]] auto content(T &object) {
    detail::place_list places;
    detail::add_content(places, object);
    return scattered<!std::is_const_v<T>>{places};
}

namespace detail {

template <bool Writable> inline constexpr bool only_looks<scattered<Writable>> = true;
template <> struct may_write<scattered<false>> : std::false_type {};
template <> struct may_write<scattered<false> &> : std::false_type {};
template <> struct may_write<const scattered<true>> : std::true_type {};
template <> struct may_write<const scattered<true> &> : std::true_type {};

} // namespace detail

} // namespace lisle
