// SPDX-License-Identifier: Apache-2.0
// Room for an argument that is an array.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace lisle::face {

/// Up to 64 entries lie on the stack. The entries are not initialised. A negative count is as none: the call
/// refuses it.
template <class T> class room {
  public:
    static constexpr std::size_t few = 64;

    explicit room(long long count) noexcept : count_{count > 0 ? static_cast<std::size_t>(count) : 0} {
        if (count_ > few) {
            all_ = static_cast<T *>(std::malloc(count_ * sizeof(T)));
            if (all_ == nullptr) {
                std::fprintf(
                    stderr,
                    "lisle: no memory to translate an array of %zu entries that the program has given\n",
                    count_);
                std::abort();
            }
        }
    }
    room(const room &) = delete;
    room &operator=(const room &) = delete;
    ~room() {
        if (count_ > few) {
            std::free(all_);
        }
    }
    [[nodiscard]] T *data() noexcept { return all_; }
    [[nodiscard]] T *begin() noexcept { return all_; }
    [[nodiscard]] T *end() noexcept { return all_ + count_; }
    T &operator[](std::size_t at) noexcept { return all_[at]; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }

  private:
    std::size_t count_;
    alignas(T) std::byte few_[few * sizeof(T)];
    T *all_ = reinterpret_cast<T *>(few_);
};

} // namespace lisle::face
