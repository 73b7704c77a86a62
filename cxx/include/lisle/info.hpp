// SPDX-License-Identifier: Apache-2.0
// Hints: pairs of a key and a value that a program gives to a call, or that MPI gives to a program.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lisle/detail/error.hpp"
#include "lisle/detail/mpi3.hpp"
#include "lisle/detail/owned.hpp"

namespace lisle {

/// One hint: {"mpi_assert_no_any_tag", "true"}.
struct hint {
    std::string key;
    std::string value;
};

/// A list of hints, which is copied like any other value. MPI leaves alone what it does not know.
///
///     lisle::info hints{{"mpi_assert_no_any_tag", "true"}};
///     auto quick = world.dup(hints);
///     std::optional<std::string> said = quick.hints().get("mpi_assert_no_any_tag");
class info {
  public:
    info() = default;
    info(std::initializer_list<hint> hints) {
        for (const hint &each : hints)
            set(each.key, each.value);
    }
    /// Takes a handle of C, and the duty to free it.
    explicit info(MPI_Info handle) noexcept : handle_{handle} {}
    info(const info &other) {
        if (other.handle_ != MPI_INFO_NULL)
            detail::check(MPI_Info_dup(other.handle_, &handle_), "MPI_Info_dup");
    }
    info(info &&other) noexcept : handle_{std::exchange(other.handle_, MPI_INFO_NULL)} {}
    info &operator=(info other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~info() {
        if (handle_ != MPI_INFO_NULL) // allowed at any time [MPI-5.0 11.4.1]
            MPI_Info_free(&handle_);
    }

    /// Adds a hint, or gives one another value.
    void set(const std::string &key, const std::string &value) {
        if (handle_ == MPI_INFO_NULL)
            detail::check(MPI_Info_create(&handle_), "MPI_Info_create");
        detail::check(MPI_Info_set(handle_, key.c_str(), value.c_str()), "MPI_Info_set");
    }
    /// The value of a hint; nothing if there is none of this key.
    [[nodiscard]] std::optional<std::string> get(const std::string &key) const {
        int length = 0; // with the zero at the end
        int found = 0;
        char nothing = 0; // MPICH wants an address
        if (handle_ != MPI_INFO_NULL)
            detail::check(MPI_Info_get_string(handle_, key.c_str(), &length, &nothing, &found),
                          "MPI_Info_get_string");
        if (found == 0)
            return std::nullopt;
        std::string value(static_cast<std::size_t>(length), '\0');
        detail::check(MPI_Info_get_string(handle_, key.c_str(), &length, value.data(), &found),
                      "MPI_Info_get_string");
        value.pop_back();
        return value;
    }
    /// Removes a hint; false if there is none of this key.
    bool erase(const std::string &key) {
        if (!get(key).has_value())
            return false;
        detail::check(MPI_Info_delete(handle_, key.c_str()), "MPI_Info_delete");
        return true;
    }
    /// How many hints there are (MPI_Info_get_nkeys).
    [[nodiscard]] std::size_t size() const {
        int count = 0;
        if (handle_ != MPI_INFO_NULL)
            detail::check(MPI_Info_get_nkeys(handle_, &count), "MPI_Info_get_nkeys");
        return static_cast<std::size_t>(count);
    }
    /// All hints, in the order in which MPI keeps them.
    [[nodiscard]] std::vector<hint> all() const {
        std::vector<hint> hints(size());
        for (std::size_t i = 0; i < hints.size(); ++i) {
            char key[MPI_MAX_INFO_KEY + 1];
            detail::check(MPI_Info_get_nthkey(handle_, static_cast<int>(i), key), "MPI_Info_get_nthkey");
            hints[i] = {key, get(key).value_or("")};
        }
        return hints;
    }
    /// For calls of C: MPI_INFO_NULL while there was no hint.
    [[nodiscard]] MPI_Info native() const noexcept { return handle_; }

  private:
    MPI_Info handle_ = MPI_INFO_NULL;
};

} // namespace lisle
