// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/closure.hpp"

#include "base/text.hpp"
#include "launch/host/architecture/architecture.hpp"
#include "launch/host/image/anonymous_file.hpp"
#include "launch/host/image/loading_stub.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <functional>

namespace lisle::host {

namespace {

bool is_visible_definition(const Elf64_Sym &symbol) {
    return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
           (ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT ||
            ELF64_ST_VISIBILITY(symbol.st_other) == STV_PROTECTED);
}

/// Whether the library asks where its thread-local variables are, rather than expect them at a distance that
/// is the same in all threads.
bool asks_for_thread_locals(const program_file &library) {
    return std::ranges::none_of(library.references().thread_locals(), [](const thread_local_reference &each) {
        return each.kind == relocation::thread_local_position;
    });
}

} // namespace

closure::closure(const std::string &program, const library_rules &rules, library_search search,
                 bool as_fibers) {
    collect(program, rules, search);
    sort_constructors();
    place_thread_locals(as_fibers);
}

closure::closure(const std::string &library, const closure &base, const program_file &asker) : base_(&base) {
    module &made = modules_.emplace_back();
    made.name = library;
    made.file = std::make_unique<program_file>(library, role::library);
    // Threads of the rank run already, so the host cannot give them variables in their blocks.
    made.thread_locals_by_loader = made.file->thread_locals().memory_size != 0;
    new_names_ = base.new_names_;
    collect_for(asker);
}

// As the C library sorts: depth first, from the library met last, what a library needs before itself.
void closure::sort_constructors() {
    std::vector<bool> visited(modules_.size(), false);
    const std::function<void(std::size_t)> visit = [&](std::size_t which) {
        if (visited[which]) {
            return;
        }
        visited[which] = true;
        for (const std::size_t needed : modules_[which].needed) {
            visit(needed);
        }
        order_.push_back(which);
    };
    visited[0] = true; // the program's run last, by its start code
    for (std::size_t i = modules_.size(); i != 0; --i) {
        visit(i - 1);
    }
}

// All copies have their variables at the same position from the thread pointer, in the block that the host
// reserves in each thread: so a library's variables cost no memory of the loader's, and the program reaches
// them as quickly as in a process. A library that finds its variables by asking the loader may also leave
// them to it: where they do not fit, and where ranks share threads.
void closure::place_thread_locals(bool as_fibers) {
    std::size_t alignment = 1;
    for (module &each : modules_) {
        const thread_local_image &image = each.file->thread_locals();
        const bool fits =
            thread_local_bytes_ + image.memory_size + image.alignment <= architecture::thread_local_room &&
            image.alignment <= architecture::thread_local_alignment;
        if (&each != &modules_.front() && image.memory_size != 0 && (as_fibers || !fits) &&
            asks_for_thread_locals(*each.file)) {
            each.thread_locals_by_loader = true;
            continue;
        }
        alignment = std::max(alignment, image.alignment);
        if (image.memory_size > architecture::thread_local_room ||
            image.alignment > architecture::thread_local_alignment) {
            thread_local_bytes_ += image.memory_size; // too much in any case; nothing may wrap around
            continue;
        }
        if (image.memory_size != 0) {
            const architecture::block_place place =
                &each == &modules_.front() ? architecture::place_of_program(image)
                                           : architecture::place_of_library(image, thread_local_bytes_);
            each.position = place.position;
            thread_local_bytes_ = place.taken;
        }
    }
    if (thread_local_bytes_ > architecture::thread_local_room ||
        alignment > architecture::thread_local_alignment) {
        refuse_threads(program().path(), std::string("its thread-local variables") +
                                             (modules_.size() > 1 ? ", with those of its libraries," : "") +
                                             " take " + std::to_string(thread_local_bytes_) +
                                             " bytes (aligned to " + std::to_string(alignment) +
                                             "), the limit is " +
                                             std::to_string(architecture::thread_local_room) + " (" +
                                             std::to_string(architecture::thread_local_alignment) + ")");
    }
}

std::optional<std::int64_t> closure::find_thread_local(std::string_view symbol) const {
    for (const module &each : modules_) {
        if (each.thread_locals_by_loader) {
            continue;
        }
        for (const Elf64_Sym &defined : each.file->tables().symbols()) {
            if (ELF64_ST_TYPE(defined.st_info) == STT_TLS && is_visible_definition(defined) &&
                each.file->tables().name_of(defined) == symbol) {
                return static_cast<std::int64_t>(defined.st_value) + each.position;
            }
        }
    }
    return std::nullopt; // of a shared library: the loader knows
}

void closure::bind_thread_locals(module &which, std::vector<std::size_t> &own_relocations) const {
    std::set<std::size_t> offsets; // words that have a relocation of their own behind a module's number
    for (const thread_local_reference &each : which.file->references().thread_locals()) {
        if (each.kind == relocation::thread_local_offset) {
            offsets.insert(each.address);
        }
    }
    std::map<std::string_view, std::optional<std::int64_t>> known;
    for (const thread_local_reference &each : which.file->references().thread_locals()) {
        std::int64_t position = which.position;
        if (!each.symbol.empty()) {
            const auto [found, is_new] = known.try_emplace(each.symbol);
            if (is_new) {
                found->second = find_thread_local(each.symbol);
            }
            if (!found->second) {
                continue;
            }
            position = *found->second;
        }
        const bool lone = each.kind == relocation::thread_local_module &&
                          !offsets.contains(each.address + sizeof(std::uint64_t));
        which.thread_locals.push_back({each.kind, each.address, position + each.place, lone});
        own_relocations.push_back(each.entry);
    }
}

// Of what a library that is opened refers to, only the program's variables have a place of the host's.
void closure::bind_thread_locals_of_base(module &which, std::vector<std::size_t> &own_relocations) const {
    for (const thread_local_reference &each : which.file->references().thread_locals()) {
        if (each.symbol.empty()) {
            continue;
        }
        if (const auto position = base_->find_thread_local(each.symbol)) {
            const bool lone = each.kind == relocation::thread_local_module;
            which.thread_locals.push_back({each.kind, each.address, *position + each.place, lone});
            own_relocations.push_back(each.entry);
        }
    }
}

std::pair<std::size_t, const Elf64_Sym *> closure::find_in_libraries(std::string_view symbol) const {
    for (std::size_t i = 1; i < modules_.size(); ++i) {
        for (const Elf64_Sym &defined : modules_[i].file->tables().symbols()) {
            if (is_visible_definition(defined) && modules_[i].file->tables().name_of(defined) == symbol) {
                return {i, &defined};
            }
        }
    }
    return {0, nullptr};
}

// The loader copies initial values only for a file that it takes for an executable. Variables of the C
// library and of other libraries of the system it finds before the copies, so these are left to it.
void closure::find_held_variables(std::vector<std::size_t> &own_relocations) {
    for (const outer_reference &each : program().references().outer()) {
        if (!each.copy) {
            continue;
        }
        const std::string name(each.symbol);
        held_variable held{each.address, each.size, 0, 0, nullptr};
        if (const auto [module, symbol] = find_in_libraries(name); symbol != nullptr) {
            const program_file &library = *modules_[module].file;
            held.module = module;
            held.place = symbol->st_value;
            held.size = std::min<std::size_t>(each.size, symbol->st_size);
            if (!library.has_memory(held.place, held.size)) {
                throw refusal(library.path() + " is not a sound library: its variable " + name +
                              " lies outside of its data");
            }
        } else if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr && shared_libraries_ != nullptr) {
            held.shared_original = dlsym(shared_libraries_, name.c_str());
        }
        if (held.module != 0 || held.shared_original != nullptr) {
            own_relocations.push_back(each.entry);
            held_variables_.push_back(held);
        }
    }
}

// In a process a name means what the file met first says. The copies come after everything that the host has
// loaded, so a function that the C library happens to have, too, would be taken from there. Such names
// get a new spelling, in all copies. Names of C++ mean the same thing wherever they are; names that begin
// with an underscore are those of systems.
void closure::find_new_names() {
    std::set<std::string_view> held; // by the program, for a library
    for (const outer_reference &each : program().references().outer()) {
        if (each.copy) {
            held.insert(each.symbol);
        }
    }
    for (std::size_t i = 0; i != modules_.size(); ++i) {
        const program_file &file = *modules_[i].file;
        for (const Elf64_Sym &symbol : file.tables().symbols()) {
            const std::string_view name = file.tables().name_of(symbol);
            if (!is_visible_definition(symbol) || name.empty() || name.front() == '_' ||
                ELF64_ST_TYPE(symbol.st_info) == STT_TLS || new_names_.contains(name) ||
                (i == 0 && held.contains(name))) {
                continue;
            }
            const void *const other = dlsym(RTLD_DEFAULT, std::string(name).c_str());
            if (other == nullptr || !comes_first(i, other)) {
                continue;
            }
            if (name.size() < 2 || !file.tables().has_modern_hash()) {
                refuse_threads(file.path(), "it has a function " + std::string(name) + " of its own, as " +
                                                "system libraries have, and no DT_GNU_HASH");
            }
            new_names_.emplace(name, name_of_equal_hash(name));
        }
    }
}

/// Whether a process would look into this module before the library that has `other`.
bool closure::comes_first(std::size_t which, const void *other) const {
    Dl_info owner{};
    if (which == 0 || dladdr(other, &owner) == 0) {
        return true;
    }
    std::string_view library = base_name(owner.dli_fname);
    Dl_info host{};
    if (dladdr(reinterpret_cast<const void *>(&name_of_equal_hash), &host) != 0 &&
        host.dli_fbase == owner.dli_fbase) {
        library = "libc.so.6"; // the host supplies what otherwise the C library would
    }
    for (const std::string &each : loading_order_) {
        if (base_name(each) == library) {
            return false;
        }
        if (!each.empty() && base_name(each) == base_name(modules_[which].name)) {
            return true;
        }
    }
    return true;
}

std::string name_of_equal_hash(std::string_view name) {
    // hash = ... * 33 * 33 + last but one * 33 + last
    std::string other(name);
    other[other.size() - 2] = static_cast<char>(other[other.size() - 2] + 1);
    other[other.size() - 1] = static_cast<char>(other[other.size() - 1] - 33);
    return other;
}

void closure::prepare() {
    std::vector<std::string> shared;
    for (const module &each : modules_) {
        for (const std::string &name : each.shared) {
            if (std::ranges::find(shared, name) == shared.end()) {
                shared.push_back(name);
            }
        }
    }
    const std::vector<std::byte> stub = loading_stub(shared);
    const anonymous_file file("shared libraries", stub.size());
    file.write(stub, 0);
    // A failure shows when the first image is loaded, with the loader's own words.
    shared_libraries_ = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    unname_stub(shared_libraries_);

    if (base_ == nullptr) { // what is opened later comes behind the C library, as in a process
        find_new_names();
    }
    for (module &each : modules_) {
        copy_edits edits;
        edits.private_libraries = each.names;
        edits.shared_libraries = each.paths;
        edits.new_names = new_names_;
        for (const Elf64_Sym &symbol : each.file->tables().symbols()) {
            if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) {
                const std::string name(each.file->tables().name_of(symbol));
                if (dlsym(RTLD_DEFAULT, name.c_str()) != nullptr ||
                    (shared_libraries_ != nullptr && dlsym(shared_libraries_, name.c_str()) != nullptr)) {
                    edits.unique.insert(name);
                }
            }
        }
        edits.thread_locals_by_loader = each.thread_locals_by_loader;
        if (base_ != nullptr) {
            bind_thread_locals_of_base(each, edits.own_relocations);
        } else if (!each.thread_locals_by_loader) {
            bind_thread_locals(each, edits.own_relocations);
        }
        if (base_ == nullptr && &each == &modules_.front()) {
            find_held_variables(edits.own_relocations);
        }
        each.copy.emplace(*each.file, edits);
        each.constants.emplace(each.file->path(), each.copy->size());
        each.copy->write_constants(*each.file, [&](std::span<const std::byte> bytes, std::size_t offset) {
            each.constants->write(bytes, offset);
        });
    }
}

} // namespace lisle::host
