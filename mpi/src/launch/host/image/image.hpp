// SPDX-License-Identifier: Apache-2.0
// One rank's private image of the program and its own libraries: copies that the loader takes for shared
// libraries. Their constructors and destructors are hidden from the loader, because they belong to the rank's
// thread and life; everything that is never written is shared with the files themselves. Images stay until
// the process ends. To be loaded by one thread at a time.
#pragma once

#include "launch/host/image/closure.hpp"
#include "launch/host/image/debugger_view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lisle::host {

/// A rank's copy of one file.
struct loaded_module {
    std::byte *base; ///< what its addresses are relative to
    std::size_t size;
    std::string name; ///< under which the loader knows it
    [[nodiscard]] bool contains(const void *address) const noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base) < size;
    }
};

class image {
  public:
    /// Loads another image. Throws `refusal` with the loader's words. @pre the closure is prepared and
    /// outlives it
    explicit image(const closure &unit);
    /// Loads a library that a rank opens. `others`: names of the rank's other copies, of the program first,
    /// in the order of the closure's names; `visible`: in which of them its names are looked up before its
    /// own. `flags`: RTLD_LAZY or RTLD_NOW.
    image(const closure &unit, const std::vector<std::string> &others,
          const std::vector<std::string> &visible, int flags);

    /// What the program's addresses are relative to.
    [[nodiscard]] std::byte *base() const noexcept { return modules_.front().base; }
    /// The copies, in the closure's order.
    [[nodiscard]] const std::vector<loaded_module> &modules() const noexcept { return modules_; }
    [[nodiscard]] bool contains(const void *address) const noexcept {
        return std::ranges::any_of(modules_,
                                   [=](const loaded_module &each) { return each.contains(address); });
    }
    [[nodiscard]] void *handle() const noexcept { return handle_; }
    [[nodiscard]] const closure &unit() const noexcept { return *unit_; }

    /// Run what the program wants to be run before all else; its libraries' constructors; its own ones.
    void construct_first(int argc, char **argv, char **environment) const;
    void construct_libraries(int argc, char **argv, char **environment) const;
    void construct_program(int argc, char **argv, char **environment) const;
    /// Runs the destructors of the program, then of its libraries.
    void destruct() const;

    /// Gives the calling thread its thread-local variables, with their initial values.
    void place_thread_locals() const noexcept;

  private:
    void load(const std::vector<std::string> &others, const std::vector<std::string> &visible, int flags);
    void find_modules(const std::vector<std::string> &names);
    void list_for_debuggers();
    void bind_thread_locals() const;
    void copy_held_variables() const;

    const closure *unit_;
    void *handle_ = nullptr;
    std::vector<loaded_module> modules_;
    listed_image listed_;
};

} // namespace lisle::host
