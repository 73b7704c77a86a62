// SPDX-License-Identifier: Apache-2.0
// Writes a run in the format of a program that shows traces.
#pragma once

#include "report/analysis/listener.hpp"

namespace lisle::report {

class trace_writer : public run_listener {
  public:
    /// Nothing follows. False: not all could be written.
    [[nodiscard]] virtual bool finish() = 0;
};

} // namespace lisle::report
