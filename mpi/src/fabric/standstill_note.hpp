// SPDX-License-Identifier: Apache-2.0
// What a fabric that models a machine can say of a job in which nothing happens any more.
#pragma once

#include <string>

namespace lisle::fabric {

/// An interface of the few fabrics that know more than the ranks do; others do not have it.
class standstill_note {
  public:
    /// For the report of a deadlock: what the modelled machine stands still for, in lines. Empty: it is idle,
    /// and no reason.
    [[nodiscard]] virtual std::string standstill() const = 0;

  protected:
    ~standstill_note() = default;
};

} // namespace lisle::fabric
