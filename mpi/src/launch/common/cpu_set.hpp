// SPDX-License-Identifier: Apache-2.0
// Sets of processors, large enough for any machine, and the parts of the machine that ranks are bound to.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lisle::launch {

class cpu_set {
  public:
    static constexpr std::size_t most = 8192;

    /// What the calling thread may run on; empty if the system does not tell.
    static cpu_set allowed();
    /// A list as the kernel writes it: 0-3,8.
    static cpu_set parse(std::string_view list);
    /// Whether parse() reads all of it, and it names a processor.
    static bool is_list(std::string_view list);
    /// As the kernel writes it.
    [[nodiscard]] std::string list() const;

    void add(std::size_t cpu) noexcept;
    [[nodiscard]] bool has(std::size_t cpu) const noexcept;
    [[nodiscard]] int count() const noexcept;
    [[nodiscard]] cpu_set operator&(const cpu_set &other) const noexcept;
    /// Restricts the calling thread to this set. Async-signal-safe.
    [[nodiscard]] bool apply() const noexcept;

  private:
    static constexpr std::size_t bits = 8 * sizeof(unsigned long);
    std::array<unsigned long, most / bits> words_{};
};

/// Whether this names a part of the machine: package, numa, l3cache, l2cache, l1cache, core or hwthread.
[[nodiscard]] bool is_unit(std::string_view name);

/// The places that ranks are bound to in turn: the allowed part of each unit.
/// `members(cpu)` is the kernel's list of the processors that share the unit with `cpu`.
template <class Members> [[nodiscard]] std::vector<cpu_set> places(const cpu_set &allowed, Members members) {
    std::vector<cpu_set> found;
    cpu_set seen;
    for (std::size_t cpu = 0; cpu < cpu_set::most; ++cpu) {
        if (!allowed.has(cpu) || seen.has(cpu)) {
            continue;
        }
        cpu_set place = cpu_set::parse(members(cpu)) & allowed;
        place.add(cpu);
        for (std::size_t other = cpu; other < cpu_set::most; ++other) {
            if (place.has(other)) {
                seen.add(other);
            }
        }
        found.push_back(place);
    }
    return found;
}

/// The same for the processors of this machine that the calling thread may use, by a unit's name; or one
/// place for each processor of a list, in its order. Empty for no name.
[[nodiscard]] std::vector<cpu_set> places(std::string_view binding);

} // namespace lisle::launch
