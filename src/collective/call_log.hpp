// SPDX-License-Identifier: Apache-2.0
// What a rank has called on a communicator, for a comparison with the other ranks once no collective is under
// way there: with LISLE_CHECK=1 at the communicator's end. Calls that do not fit together and that nothing
// else has told of, such as reductions with different operations, are found then, at the cost of a few stores
// for each. LISLE_CHECK=2 compares before each call (check.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/checks.hpp"
#include "collective/algorithms/team.hpp"
#include "collective/schedule/signature.hpp"
#include "communicator/communicator.hpp"
#include "datatype/typed_buffer.hpp"
#include "reduction/op.hpp"

namespace lisle {
class party;
}

namespace lisle::collective {

class call_log {
  public:
    /// True if calls are to be noted.
    [[nodiscard]] static bool kept() noexcept { return checks(check_level::cheap); }

    /// Notes a call. @param name the function's, without MPI_, of static duration @param root,bytes as in
    /// call_signature
    static void note(const collective_call &call, const char *name, std::int64_t root, std::int64_t bytes,
                     const op *reduction);
    /// Says of what type the data of the latest call is.
    static void note_elements(const communicator &comm, const datatype &type);
    /// Compares the calls of all ranks; throws if they do not fit. Collective over the communicator.
    static void compare(communicator &comm);

  private:
    struct entry {
        const char *name = nullptr;
        const char *operation = nullptr;
        std::int64_t root = 0, bytes = 0;
        form how = form::blocking;
        std::uint8_t elements = 0;
    };
    /// How many calls are kept: the latest.
    static constexpr std::size_t depth = 512;

    [[nodiscard]] static call_log &of(const communicator &comm);
    /// Adds the latest call, of which all is known, to the sums.
    void add_latest() noexcept;
    [[nodiscard]] call_signature signature_at(std::uint64_t call) const;
    void compare_among(const party &ranks, const communicator &comm);
    void compare_one(const party &ranks, std::uint64_t call, const communicator &comm) const;

    std::array<entry, depth> entries_;
    std::array<std::uint64_t, depth> sums_{}; ///< of each
    std::uint64_t calls_ = 0;
    std::uint64_t summed_ = 0; ///< calls that are in the sums
    std::uint64_t sum_ = 0;    ///< of all
};

} // namespace lisle::collective
