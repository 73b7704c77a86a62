// SPDX-License-Identifier: Apache-2.0
// Sets of processors, large enough for any machine, and the cores that this process may use.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "launch/options.hpp"

namespace lisle::launch {

class cpu_set {
  public:
    static constexpr std::size_t most = 8192;

    /// What the calling thread may run on; empty if the system does not tell.
    static cpu_set allowed();
    /// A list as the kernel writes it: 0-3,8.
    static cpu_set parse(std::string_view list);

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

/// The places that ranks are bound to in turn: the allowed part of each core, or single processors.
/// `siblings(cpu)` is the kernel's list of the processors that share a core with `cpu`.
template <class Siblings>
[[nodiscard]] std::vector<cpu_set> places(const cpu_set &allowed, binding bind, Siblings siblings) {
    std::vector<cpu_set> found;
    cpu_set seen;
    for (std::size_t cpu = 0; cpu < cpu_set::most; ++cpu) {
        if (!allowed.has(cpu) || seen.has(cpu)) {
            continue;
        }
        cpu_set place;
        if (bind == binding::core) {
            place = cpu_set::parse(siblings(cpu)) & allowed;
        }
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

/// The same for this machine.
[[nodiscard]] std::vector<cpu_set> places(binding bind);

} // namespace lisle::launch
