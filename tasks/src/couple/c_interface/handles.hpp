// SPDX-License-Identifier: Apache-2.0
// What C's handles stand for, and how an exception becomes -1 with a sentence.
#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <lisle/couple.h>
#include <lisle/couple/fixed_point.hpp>
#include <lisle/couple/interpolation.hpp>
#include <lisle/couple/job.hpp>
#include <lisle/couple/overlap.hpp>

#include "couple/rejection.hpp"

struct lisle_couple_points {
    lisle::couple::decomposition inside;
};
struct lisle_couple_cells {
    lisle::couple::grid_cells inside;
};
struct lisle_couple_weights {
    lisle::couple::conservative_weights inside; ///< of others `covered` is empty
    std::vector<std::int64_t> missed{};         ///< places that get nothing, if that is known
};
struct lisle_couple_elements {
    lisle::couple::mesh_elements inside;
};

/// A field until the job begins, when the component is told of it. It lives on: the caller may have it.
struct lisle_couple_field {
    lisle_couple_component *owner;
    std::variant<lisle::couple::offer, lisle::couple::want> what;
    bool is_kept = false; ///< an offer that is for restart files alone
};
struct lisle_couple_component {
    lisle_couple_job *job;
    lisle::couple::component *inside;
    std::deque<lisle_couple_field> fields; ///< in the order of their declaration
};
struct lisle_couple_job {
    lisle::couple::job inside;
    std::map<std::string, lisle_couple_component> components;
    bool is_declared = false, has_begun = false; ///< declared: the components have been told of their fields
};
struct lisle_couple_fixed_point {
    lisle::couple::fixed_point inside;
};

namespace lisle::couple::detail {

/// Of the calling rank, whose threads take turns.
[[nodiscard]] std::string &last_message() noexcept;

/// What the caller of a C function has given it.
class arguments {
  public:
    explicit arguments(const char *call) : call_{call} {}
    /// Throws unless there is one.
    template <class T> T &operator()(T *given, const char *what) const {
        if (given == nullptr) {
            reject(std::string{call_} + ": the " + what + " is null");
        }
        return *given;
    }
    /// An array, which may be null if it has no elements.
    template <class T> T *array(T *given, std::int64_t count, const char *what) const {
        if (count < 0 || (given == nullptr && count != 0)) {
            reject(std::string{call_} + ": " + std::to_string(count) + " " + what +
                   (count < 0 ? "" : " at a null pointer"));
        }
        return given;
    }
    [[nodiscard]] std::string text(const char *given, const char *what) const {
        return &(*this)(given, what);
    }

  private:
    const char *call_;
};

/// @param body is called with the arguments @return what the C function `call` does
template <class Body> int answer(const char *call, const Body &body) noexcept {
    try {
        body(arguments{call});
        return 0;
    } catch (const std::exception &error) {
        last_message() = error.what();
    } catch (...) {
        last_message() = std::string{call} + ": an exception of an unknown type";
    }
    return -1;
}

/// Frees what a handle stands for, and makes it null; that of nothing, too.
template <class Handle> int give_up(const char *call, Handle **handle) noexcept {
    return answer(call, [&](const arguments &given) {
        delete std::exchange(given(handle, "place of the handle"), nullptr);
    });
}

} // namespace lisle::couple::detail
