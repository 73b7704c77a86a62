// SPDX-License-Identifier: Apache-2.0
// One rank's private image of the program: a copy that the loader takes for a shared library of its own.
// The copy's constructors and destructors are hidden from the loader, because they belong to the rank's
// thread and life; everything that is never written is shared with the file itself. Images stay until the
// process ends. To be loaded by one thread at a time.
#pragma once

#include "launch/host/program_file.hpp"

#include <cstddef>
#include <cstdint>

namespace lisle::host {

class image {
  public:
    image() = default;
    /// Loads the `index`th image of the program. Throws `refusal` with the loader's words.
    image(const program_file &program, int index);

    /// What the image's addresses are relative to.
    [[nodiscard]] std::byte *base() const noexcept { return base_; }
    [[nodiscard]] bool contains(const void *address) const noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_) < size_;
    }
    [[nodiscard]] void *handle() const noexcept { return handle_; }

    /// Runs what the program wants to be run before main, and after everything else.
    void construct(const program_file &program, int argc, char **argv, char **environment) const;
    void destruct(const program_file &program) const;

  private:
    void *handle_ = nullptr;
    std::byte *base_ = nullptr;
    std::size_t size_ = 0;
};

/// Loads the program's libraries that it finds relative to its own place ($ORIGIN), which the images,
/// having no place, could not find.
void load_neighbour_libraries(const program_file &program);

} // namespace lisle::host
