// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace lisle::rma {

/// What the program calls a window; empty at first. Thread-safe.
class window_name {
  public:
    [[nodiscard]] std::string get() const {
        const std::scoped_lock guard{mutex_};
        return name_;
    }
    void set(std::string name) {
        const std::scoped_lock guard{mutex_};
        name_ = std::move(name);
    }

  private:
    mutable std::mutex mutex_; ///< protects name_
    std::string name_;
};

} // namespace lisle::rma
