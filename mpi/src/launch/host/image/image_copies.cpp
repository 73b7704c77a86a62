// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/image_copies.hpp"

#include "launch/host/architecture/pages.hpp"
#include "launch/host/image/valgrind.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <sys/mman.h>
#include <utility>

namespace lisle::host {

namespace {

// Mappings of all copies of a program, if each is of several: few for a process that has 65,530.
constexpr std::size_t most_mappings = 8192;

// Those whose answers depend on what the loader knows of the caller, and the runtimes that ask it for each
// image.
bool asks_the_loader(std::string_view symbol) {
    static constexpr std::array<std::string_view, 7> functions{"dlopen", "dlmopen", "dlsym", "dlvsym",
                                                               "dladdr", "dladdr1", "dlinfo"};
    return std::ranges::find(functions, symbol) != functions.end() || symbol.starts_with("__asan_") ||
           symbol.starts_with("__tsan_");
}

/// The latest of all that there are. Release by the constructor, acquire by who looks.
constinit std::atomic<const image_copies *> latest{nullptr};

std::uintptr_t number_of(const void *address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address);
}

std::size_t alignment_of(const program_file &file) {
    std::size_t most = page;
    for (const Elf64_Phdr &each : file.program_headers()) {
        if (each.p_type == PT_LOAD) {
            most = std::max<std::size_t>(most, each.p_align);
        }
    }
    return most;
}

} // namespace

bool image_copies::possible_for(const closure &unit) {
    return !under_valgrind() && std::ranges::none_of(unit.modules(), [](const module &each) {
        const reference_list &references = each.file->references();
        return each.thread_locals_by_loader || references.has_resolvers() ||
               std::ranges::any_of(references.outer(), [](const outer_reference &reference) {
                   return asks_the_loader(reference.symbol);
               });
    });
}

std::size_t image_copies::mappings_of_each(const closure &unit) {
    std::size_t sum = 0;
    for (const module &each : unit.modules()) {
        sum += each.file->segments().size();
    }
    return sum;
}

image_copies::image_copies(const closure &unit, std::vector<loaded_module> first, std::size_t count,
                           bool together)
    : unit_(unit), first_(std::move(first)), count_(count) {
    lay_out();
    if (together) {
        in_mapping_ = (count + most_mappings - 1) / most_mappings + 1;
    }
    file_.emplace(unit.program().path(), in_mapping_ * stride_);
    for (std::size_t i = 0; i != in_mapping_; ++i) {
        write(i * stride_);
    }
    find_inner_addresses();
    const std::size_t alignment = alignment_of(unit.program()); // the first module's is that of the whole
    const std::size_t room = (count + in_mapping_ - 1) / in_mapping_ * in_mapping_ * stride_;
    void *const range =
        mmap(nullptr, room + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        throw refusal("reserving addresses for " + std::to_string(count) + " images of " +
                      unit.program().path() + " failed: " + std::strerror(errno) + " (raise ulimit -v)");
    }
    range_ = static_cast<std::byte *>(range);
    range_ += (alignment - number_of(range_) % alignment) % alignment;
    before_ = latest.exchange(this, std::memory_order_acq_rel);
}

void image_copies::lay_out() {
    std::size_t most = page;
    for (std::size_t i = 0; i != first_.size(); ++i) {
        const std::size_t alignment = alignment_of(*unit_.modules()[i].file);
        most = std::max(most, alignment);
        stride_ = (stride_ + alignment - 1) / alignment * alignment;
        offsets_.push_back(stride_);
        stride_ += first_[i].size;
    }
    stride_ = (stride_ + most - 1) / most * most;
}

void image_copies::write(std::size_t begin) const {
    for (std::size_t i = 0; i != first_.size(); ++i) {
        const program_file &file = *unit_.modules()[i].file;
        const auto put = [&](std::size_t address, std::size_t bytes) {
            file_->write({first_[i].base + address, bytes}, begin + offsets_[i] + address);
        };
        for (const segment &each : file.segments()) {
            put(each.address, each.file_size); // zeroes follow
        }
        for (const outer_reference &each : file.references().outer()) {
            if (each.copy) {
                put(each.address, each.size);
            }
        }
    }
}

// Where the loader and the host have written, and what: one of the image's own addresses, or something that
// is the same for all.
void image_copies::find_inner_addresses() {
    for (std::size_t i = 0; i != first_.size(); ++i) {
        const program_file &file = *unit_.modules()[i].file;
        const dynamic_tables &tables = file.tables();
        for (const auto &[table, bytes] :
             {std::pair{DT_RELA, DT_RELASZ}, std::pair{DT_JMPREL, DT_PLTRELSZ}}) {
            const std::size_t count = tables.value_of(bytes) / sizeof(Elf64_Rela);
            if (count == 0) {
                continue;
            }
            for (const auto &each : file.array<Elf64_Rela>(file.offset_of(tables.value_of(table)), count)) {
                note_word(i, each.r_offset);
            }
        }
        const std::size_t packed = tables.value_of(DT_RELRSZ) / sizeof(std::uint64_t);
        if (packed == 0) {
            continue;
        }
        std::size_t next = 0;
        for (const auto entry : file.array<std::uint64_t>(file.offset_of(tables.value_of(DT_RELR)), packed)) {
            if (entry % 2 == 0) { // an address; else which of the 63 words behind it
                note_word(i, entry);
                next = entry + sizeof entry;
                continue;
            }
            for (std::size_t word = 0; word != 63; ++word) {
                if ((entry >> (word + 1) & 1) != 0) {
                    note_word(i, next + word * sizeof entry);
                }
            }
            next += 63 * sizeof entry;
        }
    }
}

void image_copies::note_word(std::size_t which, std::size_t address) {
    std::uint64_t value = 0;
    if (!unit_.modules()[which].file->has_memory(address, sizeof value, PROT_WRITE)) {
        return;
    }
    std::memcpy(&value, first_[which].base + address, sizeof value);
    for (std::size_t i = 0; i != first_.size(); ++i) {
        const std::uint64_t inside = value - number_of(first_[i].base);
        if (inside <= first_[i].size) { // at most: the end is an address, too
            inner_.push_back({offsets_[which] + address, static_cast<std::ptrdiff_t>(offsets_[i] + inside)});
            return;
        }
    }
}

void image_copies::map(std::byte *where, std::size_t bytes, int protection, std::size_t offset) const {
    if (mmap(where, bytes, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file_->descriptor(),
             static_cast<off_t>(offset)) == MAP_FAILED) {
        throw refusal("mapping image " + std::to_string(made_ + 1) + " of " + unit_.program().path() +
                      " failed: " + std::strerror(errno) +
                      (errno == EACCES || errno == EPERM
                           ? std::string("; this system maps no pages that can be written and run, so raise "
                                         "vm.max_map_count or use fewer ranks in a process (-P)")
                           : std::string()));
    }
}

void image_copies::map_apart(std::byte *copy) const {
    for (std::size_t i = 0; i != first_.size(); ++i) {
        for (const segment &each : unit_.modules()[i].file->segments()) {
            const std::size_t begin = offsets_[i] + page_floor(each.address);
            const std::size_t end = offsets_[i] + page_ceiling(each.address + each.memory_size);
            map(copy + begin, end - begin, each.protection, begin);
        }
    }
}

std::vector<loaded_module> image_copies::make() {
    std::byte *const copy = range_ + made_ * stride_;
    if (in_mapping_ == 1) {
        map_apart(copy);
    } else if (made_ % in_mapping_ == 0) {
        map(copy, in_mapping_ * stride_, PROT_READ | PROT_WRITE | PROT_EXEC, 0);
    }
    ++made_;
    for (const inner_address &each : inner_) {
        const std::uint64_t value = number_of(copy) + static_cast<std::uint64_t>(each.value);
        std::memcpy(copy + each.place, &value, sizeof value);
    }
    std::vector<loaded_module> modules = first_;
    for (std::size_t i = 0; i != modules.size(); ++i) {
        modules[i].base = copy + offsets_[i];
        modules[i].name = {}; // which only who opens libraries asks for
    }
    return modules;
}

std::byte *image_copies::original_in(std::size_t place) const noexcept {
    const std::size_t inside = place % stride_;
    for (std::size_t i = first_.size(); i != 0; --i) {
        if (inside >= offsets_[i - 1]) {
            return first_[i - 1].base + (inside - offsets_[i - 1]);
        }
    }
    return nullptr;
}

std::byte *image_copies::original_of(const void *address) noexcept {
    for (const image_copies *each = latest.load(std::memory_order_acquire); each != nullptr;
         each = each->before_) {
        const std::size_t place = number_of(address) - number_of(each->range_);
        if (place < each->count_ * each->stride_) {
            return each->original_in(place);
        }
    }
    return nullptr;
}

} // namespace lisle::host
