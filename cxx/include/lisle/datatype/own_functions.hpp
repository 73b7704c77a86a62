// SPDX-License-Identifier: Apache-2.0
// Whether a class has functions of its own by which it is written to an archive and read from it, in one of
// the ways that cereal knows: serialize(), save() and load(), or their minimal forms, as members or beside
// the class. Then it is more, or less, than its fields. Found out without cereal, since what travels must not
// hang on which headers a file includes.
#pragma once

#include <type_traits>

namespace lisle::detail {

/// Takes what an archive takes.
struct archiver {
    archiver &operator()(auto &&...);
    archiver &operator&(auto &&);
};
// None of these exists.
extern archiver archive;
template <class T> extern T &object;

// ---- members ----

/// Found in a class that inherits from T as well only if T has no such member: private ones, those of T's
/// bases and those that ask much of their archive included.
struct own_names {
    int serialize, save, load, save_minimal;
};
template <class T> struct names_of : T, own_names {};

// A member of the name that is a template of functions, or several: no field (a bit-field may pass for one),
// no type, and no one function of certain parameters, such as a file's name.
template <class T>
concept has_serialize = !(
    requires { &names_of<T>::serialize; } || requires { &T::serialize; } ||
    requires { typename T::serialize; });
template <class T>
concept has_save = !(
    requires { &names_of<T>::save; } || requires { &T::save; } || requires { typename T::save; });
template <class T>
concept has_load = !(
    requires { &names_of<T>::load; } || requires { &T::load; } || requires { typename T::load; });
template <class T>
concept has_minimal = !(
    requires { &names_of<T>::save_minimal; } || requires { &T::save_minimal; });
// One that takes pointers, but no archive, is another thing.
template <class T>
concept for_pointers = requires {
    object<T>.load(&archive);
}
&&!requires {
    object<T>.load(archive);
};

/// A class that nothing can inherit from is asked whether it has what can be called.
template <class T>
concept callable = requires {
    object<T>.serialize(archive);
}
|| requires {
    object<T>.save(archive);
};

// ---- functions beside the class, found where its type is declared ----

namespace beside {

// Hide whatever else has these names, so that only the argument's own namespaces are searched.
void serialize();
void save();
void save_minimal();

template <class T>
concept functions = requires {
    serialize(archive, object<T>);
}
|| requires {
    save(archive, object<T>);
}
|| requires {
    save_minimal(archive, object<T>);
}
|| requires {
    serialize(archive, object<T>, 1U);
};

} // namespace beside

/// @tparam T any complete type
template <class T> consteval bool has_own_functions() {
    if constexpr (!std::is_class_v<T>) {
        return false;
    } else if constexpr (std::is_final_v<T>) {
        return beside::functions<T> || callable<T>;
    } else {
        return beside::functions<T> || has_serialize<T> || has_minimal<T> ||
               ((has_save<T> || has_load<T>)&&!for_pointers<T>);
    }
}

} // namespace lisle::detail
