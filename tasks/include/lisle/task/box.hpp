// SPDX-License-Identifier: Apache-2.0
// C++ objects as values, and values as the parameters and results of C++ functions. A parameter T gets an
// object of its own (moved out of the value if nobody else refers to it, else copied); const T & looks at the
// shared one. That is so wherever the object was made.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "lisle/task/codec.hpp"
#include "lisle/task/value.hpp"

namespace lisle::tasks {

class boxed_object;

/// The description of a C++ type whose objects are sent. One for each type, and equal in all ranks.
struct box_type {
    std::uint64_t id; ///< a hash of the name
    std::string name;
    void (*encode)(const boxed_object &, encoder &);
    ref<object> (*decode)(decoder &);
    std::size_t (*size)(const boxed_object &); ///< bytes, about
    /// The bytes of an object that lies in one piece, to be sent from there. Empty for other objects.
    std::span<const std::byte> (*bytes)(const boxed_object &);
    /// A new object of so many bytes, to be received into. Null for objects that do not lie in one piece.
    ref<object> (*with_room)(std::size_t count, std::span<std::byte> &room);
    /// Of sequences: the number of elements, and one of them. Null for others.
    std::int64_t (*length)(const boxed_object &);
    value (*element)(const boxed_object &, std::int64_t);
    bool (*equal)(const boxed_object &, const boxed_object &);
};

/// A C++ object as a value.
class boxed_object : public object {
  public:
    explicit boxed_object(const box_type &type) noexcept : object{object_kind::boxed}, type_{type} {}
    [[nodiscard]] const box_type &type() const noexcept { return type_; }

  private:
    const box_type &type_;
};

template <class T> const box_type &box_type_of();

/// A T as a value.
template <class T> class boxed final : public boxed_object {
  public:
    explicit boxed(T given) : boxed_object{box_type_of<T>()}, content{std::move(given)} {}
    T content;
};

/// FNV-1a, by which types, kernels and programs are compared among ranks.
inline std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325U) noexcept {
    for (const char letter : text) {
        seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    return seed;
}

/// Throws std::invalid_argument: a value does not fit a parameter.
[[noreturn]] void refuse_value(const value &given, const std::string &wanted);
/// The name of a type in error messages: the compiler's name, readable.
std::string readable_name(const std::type_info &type);

/// The T in the value, or null.
template <class T> boxed<T> *unboxed(const value &given) noexcept {
    if (given.is(object_kind::boxed) && given.as<boxed_object>().type().id == box_type_of<T>().id) {
        return static_cast<boxed<T> *>(given.shared());
    }
    return nullptr;
}

/// Converts a C++ object to a value, and back. Specialised for the types of the language itself.
template <class T> struct converter {
    static_assert(encodable<T>, "parameters and results of tasks have to be able to travel: give the type a "
                                "lisle::tasks::codec, or include <lisle/serialize.hpp> (cereal)");
    static value make(T object) { return tasks::make<boxed<T>>(std::move(object)); }
    static const T &view(const value &given, std::optional<T> &) {
        if (const auto *const box = unboxed<T>(given)) {
            return box->content;
        }
        refuse_value(given, box_type_of<T>().name);
    }
    static T take(value given) {
        auto *const box = unboxed<T>(given);
        if (box == nullptr) {
            refuse_value(given, box_type_of<T>().name);
        }
        return box->is_sole() ? std::move(box->content) : box->content;
    }
};

namespace detail {
template <class T>
concept whole_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Types so small that a copy is as cheap as a view.
template <class T, class Self> struct copied_converter {
    static const T &view(const value &given, std::optional<T> &room) {
        return room.emplace(Self::take(given));
    }
};
} // namespace detail

template <detail::whole_number T> struct converter<T> : detail::copied_converter<T, converter<T>> {
    /// Letters are compared as the numbers that they are.
    using integer = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    static value make(T number) { return static_cast<std::int64_t>(number); }
    static T take(const value &given) {
        if (!given.is_integer()) {
            refuse_value(given, "an integer");
        }
        const std::int64_t number = given.integer();
        const auto least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
        if (std::cmp_less(number, integer{least}) || std::cmp_greater(number, integer{most})) {
            refuse_value(given, "an integer from " + std::to_string(integer{least}) + " to " +
                                    std::to_string(integer{most}));
        }
        return static_cast<T>(number);
    }
};
template <std::floating_point T> struct converter<T> : detail::copied_converter<T, converter<T>> {
    static value make(T number) { return static_cast<double>(number); }
    static T take(const value &given) {
        if (given.is_integer()) {
            return static_cast<T>(given.integer());
        }
        if (!given.is_real()) {
            refuse_value(given, "a number");
        }
        return static_cast<T>(given.real());
    }
};
template <> struct converter<bool> : detail::copied_converter<bool, converter<bool>> {
    static value make(bool truth) { return truth; }
    static bool take(const value &given) {
        if (!given.is_boolean()) {
            refuse_value(given, "true or false");
        }
        return given.boolean();
    }
};
template <> struct converter<value> {
    static value make(value any) { return any; }
    static const value &view(const value &any, std::optional<value> &) { return any; }
    static value take(value any) { return any; }
};
template <> struct converter<std::string> {
    static value make(std::string content) { return value{std::move(content)}; }
    static const std::string &view(const value &given, std::optional<std::string> &) {
        return content_of(given);
    }
    static std::string take(const value &given) {
        auto &content = content_of(given);
        return given.shared()->is_sole() ? std::move(content) : content;
    }

  private:
    static std::string &content_of(const value &given) {
        if (!given.is(object_kind::text)) {
            refuse_value(given, "text");
        }
        return given.as<text>().content;
    }
};
/// A vector is one C++ object; a parameter also takes a list or a range whose elements fit.
template <class T> struct converter<std::vector<T>> {
    static value make(std::vector<T> items) {
        if constexpr (std::is_same_v<T, value>) {
            return value{std::move(items)};
        } else {
            return tasks::make<boxed<std::vector<T>>>(std::move(items));
        }
    }
    static std::vector<T> gathered(const value &given) {
        const std::int64_t length = length_of(given);
        if (length < 0) {
            refuse_value(given, "a list");
        }
        std::vector<T> items;
        items.reserve(static_cast<std::size_t>(length));
        for (std::int64_t i = 0; i < length; ++i) {
            items.push_back(converter<T>::take(element_of(given, i)));
        }
        return items;
    }
    static const std::vector<T> &view(const value &given, std::optional<std::vector<T>> &room) {
        if constexpr (!std::is_same_v<T, value>) {
            if (const auto *const box = unboxed<std::vector<T>>(given)) {
                return box->content;
            }
        }
        return room.emplace(gathered(given));
    }
    static std::vector<T> take(value given) {
        if constexpr (!std::is_same_v<T, value>) {
            if (auto *const box = unboxed<std::vector<T>>(given)) {
                return box->is_sole() ? std::move(box->content) : box->content;
            }
        }
        return gathered(given);
    }
};

template <class T> value to_value(T &&object) {
    return converter<std::remove_cvref_t<T>>::make(std::forward<T>(object));
}
/// The value as a T. Throws std::invalid_argument if it is none.
template <class T> T from_value(value given) {
    return converter<T>::take(std::move(given));
}

namespace detail {
template <class T> inline constexpr bool vector_of_numbers = false;
template <plain_number T> inline constexpr bool vector_of_numbers<std::vector<T>> = !std::is_same_v<T, bool>;
template <class T> inline constexpr bool is_vector = false;
template <class T> inline constexpr bool is_vector<std::vector<T>> = true;

/// Whether two T can be compared: containers have an operator == in any case, but their elements may have
/// none.
template <class T> struct comparable : std::bool_constant < requires(const T &a) {
    { a == a } -> std::convertible_to<bool>;
} > {};
template <class T>
requires std::ranges::range<T> && requires {
    typename T::value_type;
}
struct comparable<T> : comparable<typename T::value_type> {};
template <class... T> struct comparable<std::tuple<T...>> : std::conjunction<comparable<T>...> {};
template <class A, class B> struct comparable<std::pair<A, B>>
    : std::conjunction<comparable<A>, comparable<B>> {};
template <class T> struct comparable<std::optional<T>> : comparable<T> {};

template <class T> const T &content_of(const boxed_object &box) {
    return static_cast<const boxed<T> &>(box).content;
}
template <class T> box_type describe() {
    box_type made{};
    made.name = readable_name(typeid(T));
    made.id = hash_of(made.name);
    made.encode = [](const boxed_object &box, encoder &out) { codec<T>::write(content_of<T>(box), out); };
    made.decode = [](decoder &in) -> ref<object> { return make<boxed<T>>(codec<T>::read(in)); };
    made.size = [](const boxed_object &box) { return codec<T>::size(content_of<T>(box)); };
    if constexpr (vector_of_numbers<T>) {
        made.bytes = [](const boxed_object &box) { return std::as_bytes(std::span{content_of<T>(box)}); };
        made.with_room = [](std::size_t count, std::span<std::byte> &room) -> ref<object> {
            if (count % sizeof(typename T::value_type) != 0) {
                throw std::runtime_error{std::to_string(count) + " bytes are no whole number of elements"};
            }
            auto box = make<boxed<T>>(T(count / sizeof(typename T::value_type)));
            room = std::as_writable_bytes(std::span{box->content});
            return box;
        };
    }
    if constexpr (is_vector<T>) {
        made.length = [](const boxed_object &box) {
            return static_cast<std::int64_t>(content_of<T>(box).size());
        };
        made.element = [](const boxed_object &box, std::int64_t index) {
            return to_value(typename T::value_type{content_of<T>(box)[static_cast<std::size_t>(index)]});
        };
    }
    if constexpr (comparable<T>::value) {
        made.equal = [](const boxed_object &a, const boxed_object &b) {
            return static_cast<bool>(content_of<T>(a) == content_of<T>(b));
        };
    }
    return made;
}
} // namespace detail

template <class T> const box_type &box_type_of() {
    static const box_type type = detail::describe<T>();
    return type;
}

} // namespace lisle::tasks
