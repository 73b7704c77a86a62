// SPDX-License-Identifier: Apache-2.0
// New names need room that is mapped with the file: a segment of their own behind the last one, for which a
// program header that no loader misses is given up. They are reached from the file's own table of names, by
// their distance from its beginning, so that table is not copied.
#include "launch/host/image/edited_copy.hpp"

#include "launch/host/architecture/architecture.hpp"
#include "launch/host/architecture/pages.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <sys/mman.h>

namespace lisle::host {

namespace {

// A tag that no loader knows, so that the entry is passed over.
constexpr std::int64_t inert_tag = 0x6000115e;

} // namespace

/// Edits one file's pieces; lives for the constructor of edited_copy only.
class copy_editor {
  public:
    copy_editor(edited_copy &copy, const program_file &file, const copy_edits &edits)
        : copy_(copy), file_(file), edits_(edits), texts_offset_(page_ceiling(file.bytes().size())),
          texts_address_(page_ceiling(file.memory_end())) {}

    void run() {
        for (const segment &each : file_.segments()) {
            if (!edited_copy::is_shared(file_, each) && each.file_size != 0) {
                const auto bytes = file_.bytes().subspan(each.offset, each.file_size);
                auto &piece = copy_.pieces_.emplace_back();
                piece.offset = each.offset;
                piece.padding = each.offset % alignof(std::max_align_t);
                piece.bytes.resize(piece.padding);
                piece.bytes.insert(piece.bytes.end(), bytes.begin(), bytes.end());
            }
        }
        edit_symbols();
        edit_needed_versions();
        edit_dynamic();
        for (const std::size_t entry : edits_.own_relocations) {
            at<Elf64_Rela>(entry).r_info = architecture::no_relocation;
        }
        edit_headers();
        copy_.size_ = file_.bytes().size();
        copy_.memory_end_ = file_.memory_end();
        copy_.segments_ = file_.segments().size();
        if (!texts_.empty()) {
            copy_.size_ = texts_offset_ + page_ceiling(texts_.size());
            copy_.memory_end_ = texts_address_ + texts_.size();
            ++copy_.segments_;
            copy_.pieces_.push_back({texts_offset_, 0, std::move(texts_)});
        }
    }

  private:
    /// The copy's object at this place of the file.
    template <class T> T &at(std::size_t offset) {
        for (auto &each : copy_.pieces_) {
            const std::size_t inside = offset - each.offset + each.padding;
            if (offset >= each.offset && inside <= each.bytes.size() &&
                sizeof(T) <= each.bytes.size() - inside && inside % alignof(T) == 0) {
                return *reinterpret_cast<T *>(each.bytes.data() + inside);
            }
        }
        throw refusal(file_.path() +
                      " cannot be copied for thread ranks: a table that the loader reads is not in a "
                      "segment with its beginning; run it as processes: --ranks process");
    }

    /// Where a text will be, as files refer to it.
    std::uint32_t place_of(std::size_t in_texts) const {
        const std::size_t place = texts_address_ + in_texts - file_.tables().strings_address();
        if (place > std::numeric_limits<std::uint32_t>::max()) {
            refuse_threads(file_.path(), "it is larger than 4 GiB in memory");
        }
        return static_cast<std::uint32_t>(place);
    }

    std::uint32_t add_room(std::size_t size) {
        const std::size_t begin = texts_.size();
        texts_.resize(begin + size);
        return place_of(begin);
    }

    std::uint32_t add_text(std::string_view text) {
        const std::size_t begin = texts_.size();
        const std::uint32_t place = add_room(text.size() + 1);
        std::memcpy(texts_.data() + begin, text.data(), text.size());
        return place;
    }

    /// A library's name in the copy, or nothing if it stays as it is.
    std::uint32_t library_text(std::string_view name) {
        if (const auto known = library_texts_.find(name); known != library_texts_.end()) {
            return known->second;
        }
        std::uint32_t place = 0;
        if (const auto own = edits_.private_libraries.find(name); own != edits_.private_libraries.end()) {
            copy_.names_.push_back({own->second, texts_.size()});
            place = add_room(edited_copy::longest_name + 1);
        } else if (const auto other = edits_.shared_libraries.find(name);
                   other != edits_.shared_libraries.end()) {
            place = add_text(other->second);
        }
        library_texts_.emplace(name, place);
        return place;
    }

    // The loader unites unique symbols of the whole process; ranks are to have their own.
    void edit_symbols() {
        for (std::size_t i = 0; i != file_.tables().symbols().size(); ++i) {
            const Elf64_Sym &original = file_.tables().symbols()[i];
            const std::size_t offset = file_.tables().symbols_offset() + i * sizeof(Elf64_Sym);
            if (ELF64_ST_BIND(original.st_info) == STB_GNU_UNIQUE &&
                !edits_.unique.contains(file_.tables().name_of(original))) {
                at<Elf64_Sym>(offset).st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(original.st_info));
            }
            if (edits_.new_names.empty()) {
                continue;
            }
            if (const auto renamed = edits_.new_names.find(file_.tables().name_of(original));
                renamed != edits_.new_names.end()) {
                at<Elf64_Sym>(offset).st_name = add_text(renamed->second);
            }
        }
    }

    void edit_needed_versions() {
        const file_range table = file_.tables().needed_versions();
        for (std::size_t offset = table.offset; table.size != 0;) {
            const Elf64_Verneed &original = file_.array<Elf64_Verneed>(offset, 1)[0];
            if (const std::uint32_t place = library_text(file_.tables().string(original.vn_file));
                place != 0) {
                at<Elf64_Verneed>(offset).vn_file = place;
            }
            offset += original.vn_next;
            if (original.vn_next == 0 || offset - table.offset >= table.size) {
                return;
            }
        }
    }

    void edit_dynamic() {
        constexpr Elf64_Xword for_programs = DF_1_PIE | DF_1_NOOPEN | DF_1_GLOBAL | DF_1_INITFIRST;
        for (std::size_t i = 0; i != file_.tables().entries().size(); ++i) {
            auto &entry = at<Elf64_Dyn>(file_.dynamic_offset() + i * sizeof(Elf64_Dyn));
            switch (entry.d_tag) {
            case DT_NEEDED:
                if (const std::uint32_t place = library_text(file_.tables().string(entry.d_un.d_val));
                    place != 0) {
                    entry.d_un.d_val = place;
                }
                break;
            case DT_FLAGS_1:
                entry.d_un.d_val &= ~for_programs;
                break;
            case DT_SONAME: // by which others would find the first rank's copy
            case DT_INIT:
            case DT_INIT_ARRAY:
            case DT_INIT_ARRAYSZ:
            case DT_FINI:
            case DT_FINI_ARRAY:
            case DT_FINI_ARRAYSZ:
            case DT_PREINIT_ARRAY:
            case DT_PREINIT_ARRAYSZ:
                entry.d_tag = inert_tag;
                break;
            default:
                break;
            }
        }
        if (!texts_.empty()) {
            for (std::size_t i = 0; i != file_.tables().entries().size(); ++i) {
                auto &entry = at<Elf64_Dyn>(file_.dynamic_offset() + i * sizeof(Elf64_Dyn));
                if (entry.d_tag == DT_STRSZ) {
                    entry.d_un.d_val = place_of(texts_.size());
                }
            }
        }
    }

    // The host gives thread-local variables their places itself. RELRO would split a mapping, and keep the
    // host from writing to the table of addresses.
    void edit_headers() {
        auto &head = at<Elf64_Ehdr>(0);
        head.e_shoff = 0;
        head.e_shnum = 0;
        head.e_shstrndx = SHN_UNDEF;
        std::vector<Elf64_Phdr> headers(file_.program_headers().begin(), file_.program_headers().end());
        for (Elf64_Phdr &each : headers) {
            if ((each.p_type == PT_TLS && !edits_.thread_locals_by_loader) || each.p_type == PT_GNU_RELRO) {
                each.p_type = PT_NULL;
            }
        }
        if (!texts_.empty()) {
            add_segment(headers);
        }
        for (std::size_t i = 0; i != headers.size(); ++i) {
            at<Elf64_Phdr>(file_.header().e_phoff + i * sizeof(Elf64_Phdr)) = headers[i];
        }
    }

    void add_segment(std::vector<Elf64_Phdr> &headers) const {
        static constexpr std::array<std::uint32_t, 4> dispensable{PT_NULL, PT_GNU_PROPERTY, PT_NOTE, PT_PHDR};
        auto given_up = headers.end();
        for (const std::uint32_t type : dispensable) {
            if (given_up == headers.end()) {
                given_up = std::ranges::find(headers, type, &Elf64_Phdr::p_type);
            }
        }
        if (given_up == headers.end()) {
            refuse_threads(file_.path(), "its program headers leave no room for another segment");
        }
        headers.erase(given_up);
        const auto last = std::find_if(headers.rbegin(), headers.rend(),
                                       [](const Elf64_Phdr &each) { return each.p_type == PT_LOAD; });
        Elf64_Phdr added{};
        added.p_type = PT_LOAD;
        added.p_flags = PF_R;
        added.p_offset = texts_offset_;
        added.p_vaddr = added.p_paddr = texts_address_;
        added.p_filesz = added.p_memsz = texts_.size();
        added.p_align = page;
        headers.insert(last.base(), added);
    }

    edited_copy &copy_;
    const program_file &file_;
    const copy_edits &edits_;
    std::size_t texts_offset_;
    std::size_t texts_address_;
    std::vector<std::byte> texts_;
    std::map<std::string_view, std::uint32_t> library_texts_;
};

edited_copy::edited_copy(const program_file &file, const copy_edits &edits)
    : size_(0), memory_end_(0), segments_(0) {
    copy_editor(*this, file, edits).run();
}

void edited_copy::write(std::span<const std::string> names,
                        const std::function<void(std::span<const std::byte>, std::size_t)> &put) const {
    for (std::size_t i = 0; i != pieces_.size(); ++i) {
        if (i + 1 != pieces_.size() || names_.empty()) {
            put(std::span(pieces_[i].bytes).subspan(pieces_[i].padding), pieces_[i].offset);
            continue;
        }
        std::vector<std::byte> texts = pieces_[i].bytes; // names are only in the last piece
        for (const name_place &each : names_) {
            const std::string &name = names[each.name];
            std::memcpy(texts.data() + each.offset, name.c_str(), std::min(name.size(), longest_name) + 1);
        }
        put(texts, pieces_[i].offset);
    }
}

void edited_copy::write_constants(
    const program_file &file, const std::function<void(std::span<const std::byte>, std::size_t)> &put) const {
    for (const segment &each : file.segments()) {
        const auto found = std::ranges::find(pieces_, each.offset, &piece::offset);
        if ((each.protection & PROT_WRITE) == 0 && found != pieces_.end()) {
            put(std::span(found->bytes).subspan(found->padding), found->offset);
        }
    }
}

bool edited_copy::is_shared(const program_file &file, const segment &which) noexcept {
    return !file.read_by_loader(which) && which.file_size == which.memory_size && which.file_size != 0;
}

} // namespace lisle::host
