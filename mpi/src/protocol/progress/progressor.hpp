// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lisle::protocol {

/// Work that goes on whenever its rank is in the library: the schedule of a collective, for one.
class progressor {
  public:
    /// Does what can be done without waiting. Called without any lock, by one thread at a time. May
    /// start and test operations and complete its own request; must not wait.
    /// @return false when finished: it is then forgotten and may destroy itself before returning
    virtual bool advance() = 0;
    virtual ~progressor() = default;

  private:
    friend class progressors;
    progressor *next_ = nullptr;
};

} // namespace lisle::protocol
