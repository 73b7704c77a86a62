// SPDX-License-Identifier: Apache-2.0
// Copies of an image that are made without the loader, for jobs of many ranks: the loader compares each file
// with all that it has, so its time grows with the square of the ranks, and each of its images takes several
// memory mappings, of which a process has as many as vm.max_map_count says. A copy is what the first image
// was when it was loaded, with the addresses that lead into that changed to lead into the copy. All copies
// lie in one range of addresses at equal distances, so whose an address is, is found by a division.
//
// A copy has a mapping for each segment as long as the process has enough of them. Otherwise several copies
// are one mapping of a file that holds as many; its pages can be written and run, and what no rank writes is
// there once for all mappings.
#pragma once

#include "launch/host/image/closure.hpp"
#include "launch/host/image/loaded_module.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

struct dl_find_object;

namespace lisle::host {

class image_copies {
  public:
    /// Up to so many ranks of a program the loader loads each image, and debuggers know them all.
    static constexpr int most_by_loader = 512;
    /// Whether copies do what images of the loader's do. They are unknown to it, so no file may ask it.
    [[nodiscard]] static bool possible_for(const closure &unit);
    /// Mappings that a copy takes if each of its segments is one.
    [[nodiscard]] static std::size_t mappings_of_each(const closure &unit);

    /// Reserves room for `count` copies. Throws `refusal`.
    /// @param first where the modules of an image lie of which no code has run yet @param together as the
    /// file's head says
    image_copies(const closure &unit, std::vector<loaded_module> first, std::size_t count, bool together);
    image_copies(const image_copies &) = delete;
    image_copies &operator=(const image_copies &) = delete;

    /// Makes the next one, where its modules lie. Throws `refusal`.
    [[nodiscard]] std::vector<loaded_module> make();

    /// What an address in a copy is in the first image, which the loader knows; null: it is in no copy. By
    /// any thread, and by signal handlers.
    [[nodiscard]] static std::byte *original_of(const void *address) noexcept;

  private:
    /// A word that holds an address in the first image.
    struct inner_address {
        std::size_t place;    ///< in a copy
        std::ptrdiff_t value; ///< from the copy's begin
    };
    void lay_out();
    void find_inner_addresses();
    void note_word(std::size_t which, std::size_t address);
    /// Writes the first image to the file, as the copy that begins there.
    void write(std::size_t begin) const;
    void map(std::byte *where, std::size_t bytes, int protection, std::size_t offset) const;
    void map_apart(std::byte *copy) const;
    [[nodiscard]] std::byte *original_in(std::size_t place) const noexcept;

    const closure &unit_;
    std::vector<loaded_module> first_;
    std::vector<std::size_t> offsets_; ///< of each module in a copy
    std::vector<inner_address> inner_;
    std::size_t stride_ = 0; ///< from one copy to the next
    std::size_t count_, made_ = 0;
    std::size_t in_mapping_ = 1; ///< copies; 1: each segment of one is a mapping
    std::optional<anonymous_file> file_;
    std::byte *range_ = nullptr;           ///< stays until the process ends, as images do
    const image_copies *before_ = nullptr; ///< of another program of the process
};

} // namespace lisle::host
