// SPDX-License-Identifier: Apache-2.0
// Which algorithm a call uses: the first row of the table (table.hpp) that is possible and chosen. A
// communicator remembers which rows are possible for its most frequent calls, so a call compares its size
// with one or two of them. A setting can ask for an algorithm (LISLE_COLLECTIVES=bcast=linear); all ranks
// must have it alike, and it is obeyed where the call allows that algorithm.
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
[[nodiscard]] inline bool may_use_area(form how, operation what) noexcept {
    return how == form::blocking ? !by_messages(what) : how == form::nonblocking && !comparing();
}

/// From the whole table.
[[nodiscard]] const row &choose(const situation &given) noexcept;
[[nodiscard]] const row &choose(const communicator &comm, form how, operation what, const sizes &asked);

/// The rows that are possible for calls of one operation and form, if kernels can read their operands
/// wherever they lie: found one after the other, as far as calls have asked.
class choice_list {
  public:
    choice_list(const communicator &comm, form how, operation what);

    [[nodiscard]] const row &of(const communicator &comm, const sizes &asked);

    struct entry {
        size_range range;
        const row *use;
    };
    /// The first one. @pre of() has been asked
    [[nodiscard]] const entry &first() const noexcept { return found_.front(); }

  private:
    [[nodiscard]] bool fits(const entry &each, const sizes &asked) const;

    std::vector<entry> found_;
    collective_area *area_;
    situation given_;
    std::size_t next_ = 0; ///< the first row that has not been looked at
    bool places_known_ = false;
};

/// Those of a communicator. One thread at a time asks, as the user orders collectives.
class choices {
  public:
    [[nodiscard, gnu::always_inline]] inline const row &of(const communicator &comm, form how, operation what,
                                                           const sizes &asked) {
        const short_calls &known = blocking_[static_cast<std::size_t>(what)];
        if (how == form::blocking && asked.bytes <= known.most && asked.posted <= rank_areas::most_in_slot)
            [[likely]] {
            return *known.use;
        }
        return look(comm, how, what, sizes{asked}); // so that `asked` itself need not lie in memory
    }

  private:
    /// What every area takes, up to so many bytes.
    struct short_calls {
        MPI_Count most = -1;
        const row *use = nullptr;
    };
    [[gnu::noinline]] const row &look(const communicator &comm, form how, operation what, const sizes &asked);

    std::array<short_calls, static_cast<std::size_t>(operation::count)> blocking_{};
    // Blocking and non-blocking calls.
    std::array<std::array<std::unique_ptr<choice_list>, static_cast<std::size_t>(operation::count)>, 2>
        lists_;
};
inline const communicator_local<choices> choices_of_communicators;

[[nodiscard, gnu::always_inline]] inline const row &select(const communicator &comm, form how, operation what,
                                                           const sizes &asked) {
    // A tool may change settings at any time.
    if (!all_changeable_are_default() || how == form::persistent || !asked.plain()) [[unlikely]] {
        return choose(comm, how, what, sizes{asked}); // as in choices::of()
    }
    return choices_of_communicators.of(comm)->of(comm, how, what, asked);
}

/// Does a blocking call that is not checked, if it needs no schedule. False: nothing has been done.
[[nodiscard, gnu::always_inline]] inline bool try_at_once(communicator &comm, operation what,
                                                          const sizes &asked, const operands &data) {
    if (comparing()) [[unlikely]] {
        return false;
    }
    const row &use = select(comm, form::blocking, what, asked);
    if (use.how.at_once == nullptr) [[unlikely]] {
        return false;
    }
    use.how.do_at_once(comm, asked.bytes, data);
    return true;
}

} // namespace lisle::collective
