// SPDX-License-Identifier: Apache-2.0
// One rank's private image of the program and its own libraries: copies that the loader takes for shared
// libraries. Their constructors and destructors are hidden from the loader, because they belong to the rank's
// thread and life; everything that is never written is shared with the files themselves. Images stay until
// the process ends. To be loaded by one thread at a time.
#pragma once

#include "launch/host/image/closure.hpp"
#include "launch/host/image/debugger_view.hpp"
#include "launch/host/image/image_copies.hpp"
#include "launch/host/image/loaded_module.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lisle::host {

class image {
  public:
    /// Loads another image. Throws `refusal` with the loader's words. @pre the closure is prepared and
    /// outlives it
    explicit image(const closure &unit);
    image(const image &) = delete;
    image &operator=(const image &) = delete;
    /// Makes the next copy of an image, which outlives it. Throws `refusal`.
    image(const image &original, image_copies &copies);
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
    /// This image, or the one of which it is a copy: what the loader knows.
    [[nodiscard]] const image &original() const noexcept { return *original_; }
    /// Whether all that it refers to was there when it was loaded.
    [[nodiscard]] bool is_bound() const noexcept { return bound_; }
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
    const image *original_ = this;
    void *handle_ = nullptr;
    bool bound_ = false;
    std::vector<loaded_module> modules_;
    listed_image listed_;
};

} // namespace lisle::host
