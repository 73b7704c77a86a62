// SPDX-License-Identifier: Apache-2.0
// Model coupling: models that run at once, each on a rank of its own, exchange fields as time goes on. A
// model advances in steps of its period; it never leads a model that it is connected with by more than its
// period, and nothing can deadlock, whatever the number of models, as long as each posts what belongs to a
// time before it waits at that time. See docs/coupling.md.
//
//     couple::model ocean{world, {.name = "ocean", .period = 4, .connected = {"atmosphere"}}};
//     ocean.post("temperature", couple::view{t});             // at the first time
//     while (ocean.time() < 200) {
//         ocean.sync();                                       // waits for the others to reach this time
//         auto heat = ocean.read<double>("atmosphere", "heat");
//         step(t, heat);
//         ocean.advance();                                    // one period
//         ocean.post("temperature", couple::view{t});
//     }
//     ocean.finish();
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>

#include "lisle/couple/timing.hpp"

namespace lisle::couple {

/// A part of memory as an array of one to three dimensions, the last one dense unless strides (in elements)
/// say otherwise.
template <class T> struct view {
    T *data = nullptr;
    std::array<std::int64_t, 3> extents{0, 1, 1};
    std::array<std::int64_t, 3> strides{1, 1, 1};

    view(T *data, std::int64_t n) : view{data, {n, 1, 1}, {1, 1, 1}} {}
    view(T *data, std::int64_t rows, std::int64_t columns)
        : view{data, {rows, columns, 1}, {columns, 1, 1}} {}
    view(T *data, std::int64_t planes, std::int64_t rows, std::int64_t columns)
        : view{data, {planes, rows, columns}, {rows * columns, columns, 1}} {}
    view(T *data, std::array<std::int64_t, 3> extents, std::array<std::int64_t, 3> strides)
        : data{data}, extents{extents}, strides{strides} {}
    template <class Allocator> explicit view(const std::vector<std::remove_const_t<T>, Allocator> &all)
        : view{const_cast<T *>(all.data()), static_cast<std::int64_t>(all.size())} {}
    template <class Allocator> explicit view(std::vector<std::remove_const_t<T>, Allocator> &all)
        : view{all.data(), static_cast<std::int64_t>(all.size())} {}

    [[nodiscard]] std::int64_t size() const noexcept { return extents[0] * extents[1] * extents[2]; }
};
template <class T, class A> view(std::vector<T, A> &) -> view<T>;
template <class T, class A> view(const std::vector<T, A> &) -> view<const T>;

/// An array with its shape, as read() gives it.
template <class T> struct array {
    std::array<std::int64_t, 3> extents{0, 1, 1};
    std::vector<T> values; ///< the last dimension dense
    const T &operator()(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) const {
        return values.at(static_cast<std::size_t>((i * extents[1] + j) * extents[2] + k));
    }
};

/// What a model reads between the times for which the other has posted.
enum class between {
    linear, ///< the straight line through the values before and after
    latest, ///< the value at or before the time
};

struct settings {
    std::string name;                     ///< differs from all others
    ticks period = 1;                     ///< between this model's steps, at least 1
    ticks offset = 0;                     ///< when it begins
    std::vector<std::string> connected{}; ///< models that it waits for, and they for it
};

/// How far a model has come.
struct progress {
    ticks time = 0;
    bool is_finished = false;
};

namespace detail {
enum class element_kind : std::uint32_t { integer, real, other };
struct shape {
    std::array<std::int64_t, 3> extents;
    std::uint64_t element;
    element_kind kind;
    bool operator==(const shape &) const = default;
};
class state;
} // namespace detail

/// One model. All ranks of the communicator make one each, collectively. One thread uses it.
class model {
  public:
    /// Collective. Throws std::invalid_argument for a name that is taken, a period below 1, or a connection
    /// with a model that there is not.
    model(MPI_Comm comm, const settings &how);
    model(model &&) noexcept;
    model &operator=(model &&) noexcept;
    /// Finishes, unless finish() has or an exception is on its way.
    ~model();

    [[nodiscard]] ticks time() const noexcept;
    /// Tells the connected models that this one has reached its time, and waits until each of them has, or
    /// has finished. Answers what others ask meanwhile.
    void sync();
    /// To the next step: time() grows by the period.
    void advance();
    /// Publishes a field's values at time(). They are copied, so the caller may change them at once. Throws
    /// std::logic_error if the field has values of this time already, or others of another type or shape.
    template <class T> void post(const std::string &field, const view<T> &values) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "fields are made of objects that can be copied as bytes");
        using element = std::remove_const_t<T>;
        std::vector<std::byte> packed(static_cast<std::size_t>(values.size()) * sizeof(T));
        gather(values.data, values.extents, values.strides, sizeof(T), packed.data());
        put(field, {values.extents, sizeof(T), kind_of<element>()}, std::move(packed));
    }
    /// Asks for a field of another model at time(), without waiting. Its values are sent as soon as they are
    /// known.
    void request(const std::string &model, const std::string &field);
    /// Whether what was requested is here, so that read() does not wait.
    [[nodiscard]] bool has(const std::string &model, const std::string &field);
    /// A field of a connected model at time(), waiting for it if need be: interpolated (only floating point),
    /// or the latest. Before the other's first time the first values, after its end the last. Throws
    /// std::invalid_argument if the type is another, std::runtime_error if the other finishes without posting
    /// it.
    template <class T>
    array<T> read(const std::string &model, const std::string &field,
                  between rule = std::is_floating_point_v<T> ? between::linear : between::latest) {
        array<T> made;
        const pieces found = get(model, field, sizeof(T), kind_of<T>(), rule);
        made.extents = found.extents;
        made.values.resize(found.before.size() / sizeof(T));
        std::memcpy(made.values.data(), found.before.data(), found.before.size());
        if constexpr (std::is_floating_point_v<T>) {
            for (std::size_t i = 0; found.weight != 0 && i < made.values.size(); ++i) {
                T after;
                std::memcpy(&after, found.after.data() + i * sizeof(T), sizeof(T));
                made.values[i] += static_cast<T>(found.weight) * (after - made.values[i]);
            }
        }
        return made;
    }
    /// What the model knows of another's progress.
    [[nodiscard]] progress progress_of(const std::string &model) const;
    /// No more values will be posted. Answers the others until all have finished. Collective.
    void finish();

  private:
    template <class T> static constexpr detail::element_kind kind_of() {
        return std::is_floating_point_v<T> ? detail::element_kind::real
               : std::is_integral_v<T>     ? detail::element_kind::integer
                                           : detail::element_kind::other;
    }
    struct pieces {
        std::array<std::int64_t, 3> extents{};
        double weight = 0; ///< of `after`; 0: it is not there
        std::vector<std::byte> before, after;
    };
    static void gather(const void *data, const std::array<std::int64_t, 3> &extents,
                       const std::array<std::int64_t, 3> &strides, std::size_t element, std::byte *into);
    void put(const std::string &field, const detail::shape &what, std::vector<std::byte> values);
    pieces get(const std::string &model, const std::string &field, std::size_t element,
               detail::element_kind kind, between rule);

    std::unique_ptr<detail::state> state_;
};

} // namespace lisle::couple
