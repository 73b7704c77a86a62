// SPDX-License-Identifier: Apache-2.0
// A file without a place in a file system, for the loader to load. The descriptor is closed at the end of the
// scope; mappings keep the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace lisle::host {

class anonymous_file {
  public:
    /// `purpose`: the path of the file of which it is to be a copy, for errors and /proc.
    anonymous_file(const std::string &purpose, std::size_t size);
    ~anonymous_file();
    anonymous_file(anonymous_file &&other) noexcept;
    anonymous_file(const anonymous_file &) = delete;
    anonymous_file &operator=(const anonymous_file &) = delete;

    void write(std::span<const std::byte> bytes, std::size_t offset) const;
    /// Gives back the memory of all whole pages between these offsets; they read as zeros then.
    void forget(std::size_t from, std::size_t to) const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    /// A path to the file that no other had and will have in this process: the loader takes equal names for
    /// equal files, and descriptors are used again.
    [[nodiscard]] const std::string &path() const noexcept { return path_; }

  private:
    [[noreturn]] void fail(const char *what) const;
    std::string purpose_;
    std::string path_;
    int descriptor_;
};

} // namespace lisle::host
