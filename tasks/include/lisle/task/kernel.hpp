// SPDX-License-Identifier: Apache-2.0
// Kernels: C++ classes whose methods programs call. Each tile has its own object of a kernel's class, made at
// its first use, so what a kernel keeps in its members stays on the tile, and no two threads enter one
// object. Needs no MPI.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "lisle/task/box.hpp"
#include "lisle/task/expression.hpp"

namespace lisle::tasks {

/// Where a kernel object lives. A kernel whose constructor takes a `tile_place` learns it.
struct tile_place {
    int tile = 0; ///< from 0 on, counted over all ranks
    int tiles = 1;
    int rank = 0;
    int ranks = 1;
};

/// One method as the machine sees it.
class method_entry {
  public:
    method_entry(std::string name, std::string signature, std::size_t arity, std::size_t kernel,
                 bool changes_kernel)
        : name_{std::move(name)}, signature_{std::move(signature)}, arity_{arity}, kernel_{kernel},
          changes_kernel_{changes_kernel} {}
    virtual ~method_entry() = default;
    /// Calls it. @param kernel the tile's object @param arguments as many as arity(); they may be moved from
    virtual value call(void *kernel, std::span<value> arguments) const = 0;

    [[nodiscard]] const std::string &name() const noexcept { return name_; } ///< kernel.method
    [[nodiscard]] const std::string &signature() const noexcept { return signature_; }
    [[nodiscard]] std::size_t arity() const noexcept { return arity_; }
    [[nodiscard]] std::size_t kernel() const noexcept { return kernel_; } ///< which class of the registry
    /// Whether it is no const method: a second call may have another result, or change the tile's object
    /// once more.
    [[nodiscard]] bool changes_kernel() const noexcept { return changes_kernel_; }

  private:
    std::string name_, signature_;
    std::size_t arity_, kernel_;
    bool changes_kernel_;
};

namespace detail {

/// What a program passes for a parameter: a span looks at a vector.
template <class T> struct argument_of {
    using type = T;
    static constexpr bool may_change = false;
};
template <class T> struct argument_of<std::span<T>> {
    using type = std::vector<std::remove_const_t<T>>;
    static constexpr bool may_change = !std::is_const_v<T>;
};
template <class Parameter> using argument_type = typename argument_of<std::remove_cvref_t<Parameter>>::type;

/// The conversion of an argument to a parameter.
template <class Parameter> class argument {
    using type = argument_type<Parameter>;
    static constexpr bool is_span = !std::is_same_v<type, std::remove_cvref_t<Parameter>>;
    static_assert(!std::is_lvalue_reference_v<Parameter> ||
                      std::is_const_v<std::remove_reference_t<Parameter>>,
                  "a task's parameter is a T or a const T &: arguments are shared and do not change");

  public:
    explicit argument(value &given) noexcept : given_{given} {}
    operator Parameter() {
        if constexpr (argument_of<std::remove_cvref_t<Parameter>>::may_change) {
            return room_.emplace(converter<type>::take(std::move(given_))); // of its own, that may change
        } else if constexpr (is_span || std::is_lvalue_reference_v<Parameter>) {
            return converter<type>::view(given_, room_);
        } else {
            return converter<type>::take(std::move(given_));
        }
    }

  private:
    value &given_;
    std::optional<type> room_;
};

/// Of pointers to methods that are not const.
template <class Function> inline constexpr bool changes_its_object = false;
template <class Kernel, class Result, class... Parameters>
inline constexpr bool changes_its_object<Result (Kernel::*)(Parameters...)> = true;

template <class Function, class Kernel, class Result, class... Parameters> class method_call final
    : public method_entry {
  public:
    method_call(std::string name, std::string signature, std::size_t kernel, Function function)
        : method_entry{std::move(name), std::move(signature), sizeof...(Parameters), kernel,
                       changes_its_object<Function>},
          function_{std::move(function)} {}
    value call(void *kernel, std::span<value> arguments) const override {
        return call(kernel, arguments, std::index_sequence_for<Parameters...>{});
    }

  private:
    template <std::size_t... I>
    value call(void *kernel, std::span<value> arguments, std::index_sequence<I...>) const {
        const auto invoke = [&]() -> decltype(auto) {
            if constexpr (std::is_void_v<Kernel>) {
                static_cast<void>(kernel);
                return std::invoke(function_, static_cast<Parameters>(argument<Parameters>{arguments[I]})...);
            } else {
                return std::invoke(function_, *static_cast<Kernel *>(kernel),
                                   static_cast<Parameters>(argument<Parameters>{arguments[I]})...);
            }
        };
        if constexpr (std::is_void_v<Result>) {
            invoke();
            return {};
        } else {
            return to_value(invoke());
        }
    }
    Function function_;
};

} // namespace detail

/// A registered method as a function that makes expressions: `auto sort = kernels.add("sorter.sort",
/// &sorter::sort); auto both = merge(sort(a), sort(b));`
template <class Result, class... Parameters> class method {
  public:
    explicit method(std::string name) : name_{std::move(name)} {}
    template <class... Arguments>
    requires(sizeof...(Arguments) == sizeof...(Parameters)) expression<std::remove_cvref_t<Result>>
    operator()(Arguments &&...arguments) const {
        return expression<std::remove_cvref_t<Result>>{
            detail::form(name_, detail::argument_datum<detail::argument_type<Parameters>>(
                                    std::forward<Arguments>(arguments))...)};
    }

  private:
    std::string name_;
};

/// The kernels that programs may call. All ranks of a machine have to register the same ones: the machine
/// compares hashes at its start. Not to be changed while a machine uses it.
class registry {
  public:
    /// Registers a method of a class under "kernel.method". Throws std::invalid_argument if the name is taken
    /// or has no dot, or if the kernel is another class already.
    template <class Kernel, class Result, class... Parameters>
    method<Result, Parameters...> add(const std::string &name, Result (Kernel::*function)(Parameters...)) {
        return enter<Kernel, Result, Parameters...>(name, function);
    }
    template <class Kernel, class Result, class... Parameters> method<Result, Parameters...>
    add(const std::string &name, Result (Kernel::*function)(Parameters...) const) {
        return enter<Kernel, Result, Parameters...>(name, function);
    }
    /// Registers a function, which has no object.
    template <class Result, class... Parameters>
    method<Result, Parameters...> add(const std::string &name, Result (*function)(Parameters...)) {
        return enter<void, Result, Parameters...>(name, function);
    }
    /// Registers a lambda without captures.
    template <class Lambda>
    requires requires(Lambda lambda) { +lambda; }
    auto add(const std::string &name, Lambda lambda) { return add(name, +lambda); }

    /// The method's index, or -1.
    [[nodiscard]] int find(const std::string &name) const;
    [[nodiscard]] const method_entry &at(std::size_t index) const { return *methods_.at(index); }
    [[nodiscard]] std::size_t methods() const noexcept { return methods_.size(); }
    [[nodiscard]] std::size_t kernels() const noexcept { return kernels_.size(); }
    /// A new object of a kernel's class; empty for functions.
    [[nodiscard]] std::shared_ptr<void> instantiate(std::size_t kernel, const tile_place &where) const;
    /// A type that parameters or results have, or null.
    [[nodiscard]] const box_type *type(std::uint64_t id) const;
    /// Of all names and signatures, in order.
    [[nodiscard]] std::uint64_t hash() const noexcept;

  private:
    using factory = std::shared_ptr<void> (*)(const tile_place &);
    struct kernel_entry {
        std::string name, type;
        factory make;
    };

    template <class Kernel, class Result, class... Parameters, class Function>
    method<Result, Parameters...> enter(const std::string &name, Function function) {
        if constexpr (!std::is_void_v<Result>) {
            learn<std::remove_cvref_t<Result>>();
        }
        (learn<detail::argument_type<Parameters>>(), ...);
        const std::size_t kernel = kernel_of(name, readable_name(typeid(Kernel)), &make_kernel<Kernel>);
        enter(std::make_unique<detail::method_call<Function, Kernel, Result, Parameters...>>(
            name, readable_name(typeid(Result(Parameters...))), kernel, function));
        return method<Result, Parameters...>{name};
    }
    template <class T> void learn() {
        if constexpr (detail::is_vector<T>) {
            learn<typename T::value_type>();
        }
        if constexpr (encodable<T> && !std::is_arithmetic_v<T>) {
            types_.emplace(box_type_of<T>().id, &box_type_of<T>());
        }
    }
    template <class Kernel> static std::shared_ptr<void> make_kernel(const tile_place &where) {
        if constexpr (std::is_void_v<Kernel>) {
            return {};
        } else if constexpr (std::is_constructible_v<Kernel, const tile_place &>) {
            return std::make_shared<Kernel>(where);
        } else {
            static_assert(std::is_default_constructible_v<Kernel>,
                          "a kernel needs a constructor without parameters, or one that takes a tile_place");
            return std::make_shared<Kernel>();
        }
    }
    std::size_t kernel_of(const std::string &method, const std::string &type, factory make);
    void enter(std::unique_ptr<method_entry> made);

    std::vector<kernel_entry> kernels_;
    std::vector<std::unique_ptr<method_entry>> methods_;
    std::unordered_map<std::string, int> by_name_;
    std::unordered_map<std::uint64_t, const box_type *> types_;
};

} // namespace lisle::tasks
