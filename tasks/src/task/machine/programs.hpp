// SPDX-License-Identifier: Apache-2.0
// The programs that a rank has loaded. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "task/language/program.hpp"

namespace lisle::tasks {

class program_table {
  public:
    explicit program_table(const registry &kernels) noexcept : kernels_{kernels} {}

    /// A number for a program that this rank starts. The rank's own thread.
    [[nodiscard]] std::uint64_t next_number(int rank) noexcept {
        return static_cast<std::uint64_t>(rank) << 32U | ++last_;
    }
    /// Compiles a program. Throws program_error.
    program_state &load(std::uint64_t number, const source &written);
    /// Throws std::runtime_error if it is not loaded.
    [[nodiscard]] program_state &find(std::uint64_t number);
    void complete(program_state &ended, value result);
    [[nodiscard]] bool is_complete(const program_state &asked) const;
    /// Whether it is loaded.
    [[nodiscard]] bool contains(std::uint64_t number) const;
    /// Nothing of it begins from here on, if it is loaded.
    void cancel(std::uint64_t number);
    /// Forgets a program, if it is there.
    void remove(std::uint64_t number);
    /// From now on programs are kept when they have ended: tasks that a lost rank has left behind belong to
    /// them. No kernel of these begins any more.
    void keep_ended();
    /// A rank has died: its programs have ended, and nobody waits for it to load others.
    void lose(int rank);
    /// The programs that a rank has started and that are still loaded.
    [[nodiscard]] std::vector<std::uint64_t> started_by(int rank) const;

  private:
    const registry &kernels_;
    std::uint64_t last_ = 0;
    mutable std::mutex mutex_; ///< for what follows
    std::map<std::uint64_t, std::unique_ptr<program_state>> programs_;
    bool keeps_ended_ = false;
};

} // namespace lisle::tasks
