// SPDX-License-Identifier: Apache-2.0
// Random trees of datatypes, made twice: by the library's constructors, and as type maps.
#pragma once

#include <random>
#include <utility>

#include "api/datatype.hpp"
#include "oracle.hpp"

namespace lisle::test {

using random_source = std::mt19937_64;

inline MPI_Count random_in(random_source &random, MPI_Count low, MPI_Count high) {
    return std::uniform_int_distribution<MPI_Count>{low, high}(random);
}

/// How many random cases a test tries: 10,000, or what LISLE_TEST_CASES says.
[[nodiscard]] int number_of_cases();

/// A handle that is freed at the end of its scope, unless predefined.
class owned_type {
  public:
    explicit owned_type(MPI_Datatype handle) : handle_{handle} {}
    owned_type(owned_type &&other) noexcept : handle_{std::exchange(other.handle_, MPI_DATATYPE_NULL)} {}
    owned_type &operator=(owned_type &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~owned_type() {
        if (handle_ != MPI_DATATYPE_NULL && !find_datatype(handle_)->predefined()) {
            api::type_free(&handle_);
        }
    }
    [[nodiscard]] MPI_Datatype handle() const { return handle_; }
    [[nodiscard]] const datatype &operator*() const { return *find_datatype(handle_); }
    [[nodiscard]] const datatype *operator->() const { return find_datatype(handle_); }

  private:
    MPI_Datatype handle_;
};

struct random_type {
    owned_type type;
    type_map map;
};

/// Both forms of a random type of at most `depth` constructors one in another.
[[nodiscard]] random_type make_random_type(random_source &random, int depth);

} // namespace lisle::test
