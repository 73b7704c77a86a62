// SPDX-License-Identifier: Apache-2.0
// The parts of a file that each rank's copy holds, edited so that the loader takes the copy for a shared
// library, leaves its constructors alone, and resolves its names in the same rank's other copies. Made once
// for all ranks, whose copies differ in these names only. All other parts are holes in the copy.
#pragma once

#include "launch/host/image/program_file.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lisle::host {

/// Edits that depend on the program; others are made in every copy.
struct copy_edits {
    /// Libraries of which the rank has a copy, by the name that files use, as an index of names.
    std::map<std::string, std::size_t, std::less<>> private_libraries;
    /// Other libraries that are to be loaded from this path.
    std::map<std::string, std::string, std::less<>> shared_libraries;
    /// Symbols to be called otherwise.
    std::map<std::string, std::string, std::less<>> new_names;
    /// Symbols that are unique in the process and stay so, since shared libraries have them as well.
    std::set<std::string, std::less<>> unique;
    /// File offsets of relocations that the host does itself.
    std::vector<std::size_t> own_relocations;
    /// The loader handles the thread-local variables.
    bool thread_locals_by_loader = false;
};

class edited_copy {
  public:
    /// Throws `refusal` if the file's headers leave no room for the edits.
    edited_copy(const program_file &file, const copy_edits &edits);

    /// Longest name, without its end, that write() takes.
    static constexpr std::size_t longest_name = 127;

    /// Size of the copy as a file.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The end of the last segment in memory.
    [[nodiscard]] std::size_t memory_end() const noexcept { return memory_end_; }
    /// How many segments it has.
    [[nodiscard]] std::size_t segments() const noexcept { return segments_; }

    /// Hands each piece to `put(bytes, offset)`. `names` are those of the rank's copies by index.
    void write(std::span<const std::string> names,
               const std::function<void(std::span<const std::byte>, std::size_t)> &put) const;

    /// Hands over only the pieces that are the same in all copies and never written to once they are loaded.
    void write_constants(const program_file &file,
                         const std::function<void(std::span<const std::byte>, std::size_t)> &put) const;

    /// Whether the segment is mapped from the file itself, so that it is a hole in the copies.
    [[nodiscard]] static bool is_shared(const program_file &file, const segment &which) noexcept;

  private:
    struct piece {
        std::size_t offset;
        std::size_t padding; ///< before the bytes that count: what is aligned in the file is so here
        std::vector<std::byte> bytes;
    };
    struct name_place {
        std::size_t name;   ///< index
        std::size_t offset; ///< in the last piece
    };
    std::vector<piece> pieces_;
    std::vector<name_place> names_;
    std::size_t size_;
    std::size_t memory_end_;
    std::size_t segments_;

    friend class copy_editor;
};

} // namespace lisle::host
