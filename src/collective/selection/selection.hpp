// SPDX-License-Identifier: Apache-2.0
// Which algorithm a call uses: the first row of the table (table.hpp) that is possible and chosen. A
// communicator remembers which rows are possible for its most frequent calls, so a call compares its size
// with one or two of them. A setting can ask for an algorithm (LISLE_COLLECTIVES=bcast=linear); all ranks must have it
// alike, and it is obeyed where the call allows that algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "collective/area/collective_area.hpp"
#include "collective/selection/table.hpp"
#include "communicator/communicator_local.hpp"

namespace lisle::collective {

/// True if the call may use the collective area: persistent ones may be started in different orders by
/// different ranks; and non-blocking ones that turn out not to fit together must leave nothing half done that
/// ranks share.
[[nodiscard]] inline bool may_use_area(form how) noexcept {
    return how == form::blocking ? !by_messages_alone() : how == form::nonblocking && !comparing();
}

/// From the whole table.
[[nodiscard]] const row &choose(const situation &given) noexcept;
[[nodiscard]] const row &choose(const communicator &comm, form how, operation what, const sizes &asked);

/// The rows that are possible for calls of one operation and form, if kernels can read their operands
/// wherever they lie: found one after the other, as far as calls have asked.
class choice_list {
  public:
    choice_list(const communicator &comm, form how, operation what);

    [[nodiscard, gnu::always_inline]] inline const row &of(const communicator &comm, const sizes &asked) {
        for (const entry &each : found_) {
            if (asked.bytes >= each.range.least && asked.bytes <= each.range.most &&
                (asked.posted <= always_taken || !each.use->how.posts || area_->takes(asked.posted)))
                [[likely]] {
                return *each.use;
            }
        }
        return look_further(comm, asked);
    }

  private:
    /// What every area takes.
    static constexpr MPI_Count always_taken = collective_area::most_in_slot;
    struct entry {
        size_range range;
        const row *use;
    };
    [[gnu::cold, gnu::noinline]] const row &look_further(const communicator &comm, const sizes &asked);

    std::vector<entry> found_;
    collective_area *area_;
    situation given_;
    std::size_t next_ = 0; ///< the first row that has not been looked at
    bool places_known_ = false;
};

/// Those of a communicator. One thread at a time asks, as the user orders collectives.
class choices {
  public:
    [[nodiscard, gnu::always_inline]] inline choice_list &of(const communicator &comm, form how,
                                                             operation what) {
        auto &list = lists_[static_cast<std::size_t>(how)][static_cast<std::size_t>(what)];
        if (list == nullptr) [[unlikely]] {
            list = std::make_unique<choice_list>(comm, how, what);
        }
        return *list;
    }

  private:
    // Blocking and non-blocking calls.
    std::array<std::array<std::unique_ptr<choice_list>, static_cast<std::size_t>(operation::count)>, 2>
        lists_;
};
inline const communicator_local<choices> choices_of_communicators;

[[nodiscard, gnu::always_inline]] inline const row &select(const communicator &comm, form how, operation what,
                                                           const sizes &asked) {
    // A tool may change settings at any time.
    if (!all_changeable_are_default() || how == form::persistent || !asked.plain()) [[unlikely]] {
        return choose(comm, how, what, asked);
    }
    return choices_of_communicators.of(comm)->of(comm, how, what).of(comm, asked);
}

} // namespace lisle::collective
