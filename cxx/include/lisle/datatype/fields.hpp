// SPDX-License-Identifier: Apache-2.0
// Reflection: which fields an aggregate has, found out at compile time, and the declaration by which any
// other class names its own. Looks at types only; what becomes of the fields is datatype.hpp's affair.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lisle {

/// The fields of a class that is no plain aggregate, named once inside it:
///
///     class particle {
///       public:
///         using lisle_fields = lisle::members<&particle::position_, &particle::mass_>;
///       private: ...
///     };
///
/// Inside the class the members must have been declared before this line. From outside:
/// `template <> struct lisle::fields_of<T> : lisle::members<&T::x, &T::y> {};`
template <auto... Members> struct members {
    /// How many fields are named.
    static constexpr std::size_t count = sizeof...(Members);
    template <class Object, class Visitor>
    static constexpr decltype(auto) visit(Object &object, Visitor &&visitor) {
        return visitor(object.*Members...);
    }
};

/// Specialise it to name the fields of a class that you cannot change. See members.
template <class T> struct fields_of {};
template <class First, class Second> struct fields_of<std::pair<First, Second>> {
    static constexpr std::size_t count = 2;
    template <class Object, class Visitor>
    static constexpr decltype(auto) visit(Object &object, Visitor &&visitor) {
        return visitor(object.first, object.second);
    }
};
template <class... Elements> struct fields_of<std::tuple<Elements...>> {
    /// How many fields there are.
    static constexpr std::size_t count = sizeof...(Elements);
    template <class Object, class Visitor>
    static constexpr decltype(auto) visit(Object &object, Visitor &&visitor) {
        return std::apply(std::forward<Visitor>(visitor), object);
    }
};

/// Set it to true for a class whose objects may travel as raw bytes, padding included: only between
/// machines of one kind, and only if no byte of it is a secret.
template <class T> inline constexpr bool send_as_bytes = false;

namespace detail {

template <class T>
concept names_fields = requires {
    typename T::lisle_fields;
}
|| requires {
    fields_of<T>::count;
};

template <class T> struct field_source : fields_of<T> {};
template <class T>
requires requires {
    typename T::lisle_fields;
}
struct field_source<T> : T::lisle_fields {};

template <class T> struct any_base {
    template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>) operator Base() const noexcept;
};

inline constexpr std::size_t most_fields = 24;

// NOLINTBEGIN(readability-braces-around-statements): a ladder of conditions, one line each
/// Number of fields of an aggregate; most_fields + 1 if there are more. `{}` initialises any one field,
/// arrays as a whole, so the longest list of them that compiles has the answer.
template <class T> consteval std::size_t count_fields() {
    if constexpr (requires {
                      T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                        {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                  })
        return 25;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                             {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 24;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                             {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 23;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                             {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 22;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                             {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 21;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 20;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 19;
    else if constexpr (requires {
                           T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
                       })
        return 18;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 17;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 16;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 15;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 14;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 13;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 12;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 11;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 10;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; })
        return 9;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; })
        return 8;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}}; })
        return 7;
    else if constexpr (requires { T{{}, {}, {}, {}, {}, {}}; })
        return 6;
    else if constexpr (requires { T{{}, {}, {}, {}, {}}; })
        return 5;
    else if constexpr (requires { T{{}, {}, {}, {}}; })
        return 4;
    else if constexpr (requires { T{{}, {}, {}}; })
        return 3;
    else if constexpr (requires { T{{}, {}}; })
        return 2;
    else if constexpr (requires { T{{}}; })
        return 1;
    else
        return 0;
}
// NOLINTEND(readability-braces-around-statements)

/// Calls `visit` with references to all fields of an aggregate.
template <class T, class Visitor> constexpr decltype(auto) visit_aggregate(T &object, Visitor &&visit) {
    constexpr std::size_t count = count_fields<std::remove_cv_t<T>>();
    if constexpr (count == 1) {
        auto &[f0] = object;
        return visit(f0);
    } else if constexpr (count == 2) {
        auto &[f0, f1] = object;
        return visit(f0, f1);
    } else if constexpr (count == 3) {
        auto &[f0, f1, f2] = object;
        return visit(f0, f1, f2);
    } else if constexpr (count == 4) {
        auto &[f0, f1, f2, f3] = object;
        return visit(f0, f1, f2, f3);
    } else if constexpr (count == 5) {
        auto &[f0, f1, f2, f3, f4] = object;
        return visit(f0, f1, f2, f3, f4);
    } else if constexpr (count == 6) {
        auto &[f0, f1, f2, f3, f4, f5] = object;
        return visit(f0, f1, f2, f3, f4, f5);
    } else if constexpr (count == 7) {
        auto &[f0, f1, f2, f3, f4, f5, f6] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6);
    } else if constexpr (count == 8) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7);
    } else if constexpr (count == 9) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8);
    } else if constexpr (count == 10) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9);
    } else if constexpr (count == 11) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0);
    } else if constexpr (count == 12) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1);
    } else if constexpr (count == 13) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2);
    } else if constexpr (count == 14) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3);
    } else if constexpr (count == 15) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4);
    } else if constexpr (count == 16) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5);
    } else if constexpr (count == 17) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6);
    } else if constexpr (count == 18) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7);
    } else if constexpr (count == 19) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8);
    } else if constexpr (count == 20) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9);
    } else if constexpr (count == 21) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0);
    } else if constexpr (count == 22) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1] =
            object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1);
    } else if constexpr (count == 23) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1, h2] =
            object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1,
                     h2);
    } else if constexpr (count == 24) {
        auto &[f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1, h2,
               h3] = object;
        return visit(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1,
                     h2, h3);
    }
}

template <class T, class Visitor> constexpr decltype(auto) visit_fields(T &object, Visitor &&visit) {
    if constexpr (names_fields<std::remove_cv_t<T>>) {
        return field_source<std::remove_cv_t<T>>::visit(object, visit);
    } else {
        return visit_aggregate(object, visit);
    }
}

/// An aggregate whose fields can be found: no bases, not too many fields.
template <class T>
concept reflected = std::is_class_v<T> && std::is_aggregate_v<T> && !requires {
    T{any_base<T>{}};
}
&&(count_fields<T>() > 0) && (count_fields<T>() <= most_fields);

template <class... Types> struct type_list {};
struct list_types {
    // Const, so that bit-fields, which have no address, pass here and meet a sentence of the compiler's
    // later. Defined, since a function of local classes must be.
    template <class... Types>
    constexpr type_list<std::remove_volatile_t<Types>...> operator()(const Types &...) const {
        return {};
    }
};
template <class T> using field_types = decltype(visit_fields(std::declval<T &>(), list_types{}));

/// An object that does not exist, for the addresses of its fields.
template <class T> union absent {
    constexpr absent() {}
    constexpr ~absent() {}
    char nothing;
    T object;
};
template <class T> extern absent<T> nobody;

template <auto Address> struct field_at;
template <class T> constexpr const void *address_of_first() {
    return visit_fields(nobody<T>.object, [](const auto &first, const auto &...) { return &first; });
}

/// True if a field is a bit-field: what stands for it in a call is gone afterwards, and so nothing for a
/// template.
#if defined(__clang__) // which takes no address of a part of an object for a template, but reads one of its
                       // own
template <auto> struct constant;
template <class T> consteval bool fields_last() {
    T object{};
    const auto places = visit_fields(object, [](const auto &...fields) { return std::tuple{&fields...}; });
    const auto is_read = []<class Field>(const Field *place) {
        if constexpr (std::is_integral_v<Field> || std::is_enum_v<Field>)
            return static_cast<void>(Field{*place}), true;
        else
            return true;
    };
    return std::apply([&](auto... each) { return (is_read(each) && ...); }, places);
}
template <class T>
concept made_at_compile_time = requires {
    typename constant<(static_cast<void>(T{}), 0)>;
};
template <class T> inline constexpr bool has_bit_field = made_at_compile_time<T> && !requires {
    typename constant<fields_last<T>()>;
};
#else
template <class T> inline constexpr bool has_bit_field = !requires {
    typename field_at<address_of_first<T>()>;
};
#endif

} // namespace detail

} // namespace lisle
