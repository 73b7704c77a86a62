// SPDX-License-Identifier: Apache-2.0
// What a rank's looks for messages (MPI_Iprobe, MPI_Improbe) have found in a run that was recorded. How often
// a loop looks in vain is a matter of time, and so is another one's in the next run: a look finds nothing at
// least as often as it did then, and after that the same message as soon as it is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "choice/choice.hpp"

namespace lisle::exploration {

class recorded_looks {
  public:
    /// A look that has found a message, or the first one in vain after such a one. In the order of numbers.
    void add(unsigned number, int taken) { all_.push_back({number, taken}); }
    /// What the next look is to find: the message of a rank of the job, or choice::nothing; nothing: the
    /// record does not say.
    [[nodiscard]] std::optional<int> next() const {
        const auto found = next_found();
        if (found == all_.end()) {
            return next_ != all_.size() ? std::optional{choice::nothing} : std::nullopt;
        }
        return in_vain_ < found->number - last_found_ - 1 ? choice::nothing : found->taken;
    }
    /// @param taken as in next()
    void note(int taken) {
        if (taken == choice::nothing) {
            ++in_vain_;
            next_ = next_found() == all_.end() ? all_.size() : next_;
            return;
        }
        in_vain_ = 0;
        if (const auto found = next_found(); found != all_.end()) {
            last_found_ = found->number;
            next_ = static_cast<std::size_t>(found - all_.begin()) + 1;
        }
    }

  private:
    struct look {
        unsigned number;
        int taken;
    };
    [[nodiscard]] std::vector<look>::const_iterator next_found() const {
        return std::find_if(all_.begin() + static_cast<std::ptrdiff_t>(next_), all_.end(),
                            [](const look &each) { return each.taken != choice::nothing; });
    }

    std::vector<look> all_;
    std::size_t next_ = 0; ///< of all_
    unsigned last_found_ = 0;
    unsigned in_vain_ = 0; ///< since then
};

} // namespace lisle::exploration
