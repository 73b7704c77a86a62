// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace lisle::rma {

/// What parts of a call have failed with: the call goes on and throws the first of them at its end, so that
/// no other rank is left waiting.
class failures_within {
  public:
    /// Returns true unless `part` throws.
    template <class Part> bool attempt(Part part) {
        try {
            part();
            return true;
        } catch (const std::exception &) {
            if (!first_) {
                first_ = std::current_exception();
            }
            return false;
        }
    }
    [[nodiscard]] bool any() const noexcept { return first_ != nullptr; }
    void rethrow() const {
        if (first_) {
            std::rethrow_exception(first_);
        }
    }

  private:
    std::exception_ptr first_;
};

} // namespace lisle::rma
