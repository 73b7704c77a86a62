// SPDX-License-Identifier: Apache-2.0
// Strings that a call gives, where the program's room is shorter than the standard's.
#pragma once

#include <algorithm>
#include <cstring>

namespace lisle::face {

/// @tparam Ours, Theirs the limits, with the end of the string @param length where the call puts the string's
/// length, or null
template <int Ours, int Theirs> class cut_text {
  public:
    cut_text(char *into, int *length) noexcept : into_{into}, length_{length} {}
    cut_text(const cut_text &) = delete;
    cut_text &operator=(const cut_text &) = delete;
    ~cut_text() {
        if (into_ == nullptr || value_[0] == untouched_value) {
            return;
        }
        const std::size_t kept = std::min(std::strlen(value_), std::size_t{Theirs - 1});
        std::memcpy(into_, value_, kept);
        into_[kept] = '\0';
        if (length_ != nullptr) {
            *length_ = static_cast<int>(kept);
        }
    }
    operator char *() noexcept { return into_ == nullptr ? nullptr : value_; }

  private:
    static constexpr char untouched_value = '\x7f';
    char *into_;
    int *length_;
    char value_[Ours] = {untouched_value};
};

} // namespace lisle::face
