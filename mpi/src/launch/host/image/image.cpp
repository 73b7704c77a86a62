// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/image.hpp"

#include "launch/host/architecture/architecture.hpp"
#include "launch/host/architecture/pages.hpp"
#include "launch/host/image/anonymous_file.hpp"
#include "launch/host/image/loading_stub.hpp"
#include "launch/host/image/mapped_segment.hpp"
#include "launch/host/image/valgrind.hpp"
#include "launch/host/rank/refusal.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <ranges>
#include <sys/mman.h>

namespace lisle::host {

namespace {

/// What is never written is there once for all images: the file's own pages, or those of the edited tables,
/// whose copy for the loader is given back.
void share_segments(const module &which, const anonymous_file &copy, std::byte *base) {
    for (const segment &each : which.file->segments()) {
        if (edited_copy::is_shared(*which.file, each)) {
            map_segment(which, which.file->descriptor(), each, base);
        } else if ((each.protection & PROT_WRITE) == 0 && each.file_size == each.memory_size) {
            map_segment(which, which.constants->descriptor(), each, base);
            copy.forget(each.offset, each.offset + each.file_size);
        }
    }
}

/// What the loader says, with the files' own names.
std::string loader_words(const closure &unit, const std::vector<std::string> &names) {
    std::string words = dlerror();
    for (std::size_t i = names.size(); i != 0; --i) {
        for (std::size_t at; (at = words.find(names[i - 1])) != std::string::npos;) {
            words.replace(at, names[i - 1].size(), unit.modules()[i - 1].file->path());
        }
    }
    return words;
}

using plain_function = void (*)();
using main_function = void (*)(int, char **, char **);

template <class Function> Function function_at(const std::byte *address) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    return reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(address));
}

void call_all(const std::byte *base, const function_array &array, int argc, char **argv, char **environment) {
    for (std::size_t i = 0; i != array.count; ++i) {
        reinterpret_cast<const main_function *>(base + array.address)[i](argc, argv, environment);
    }
}

void construct(const std::byte *base, const life_cycle &functions, int argc, char **argv,
               char **environment) {
    if (functions.first != 0) {
        function_at<main_function>(base + functions.first)(argc, argv, environment);
    }
    call_all(base, functions.constructors, argc, argv, environment);
}

void destruct(const std::byte *base, const life_cycle &functions) {
    for (std::size_t i = functions.destructors.count; i != 0; --i) {
        reinterpret_cast<const plain_function *>(base + functions.destructors.address)[i - 1]();
    }
    if (functions.last != 0) {
        function_at<plain_function>(base + functions.last)();
    }
}

} // namespace

image::image(const closure &unit) : unit_(&unit) {
    load({}, {}, RTLD_NOW);
}

image::image(const image &original, image_copies &copies)
    : unit_(original.unit_), original_(&original), handle_(original.handle_), bound_(true),
      modules_(copies.make()) {
    copy_held_variables(); // from the copies of libraries that they are variables of
}

image::image(const closure &unit, const std::vector<std::string> &others,
             const std::vector<std::string> &visible, int flags)
    : unit_(&unit) {
    load(others, visible, flags);
}

void image::load(const std::vector<std::string> &others, const std::vector<std::string> &visible, int flags) {
    std::vector<anonymous_file> files;
    std::vector<std::string> own;
    for (const module &each : unit_->modules()) {
        own.push_back(files.emplace_back(each.file->path(), each.copy->size()).path());
    }
    std::vector<std::string> names = own;
    names.insert(names.end(), others.begin(), others.end());
    for (std::size_t i = 0; i != files.size(); ++i) {
        unit_->modules()[i].copy->write(names, [&](std::span<const std::byte> bytes, std::size_t offset) {
            files[i].write(bytes, offset);
        });
    }
    std::string first = own.front();
    std::vector<std::string> in_order = visible;
    for (const std::size_t each : unit_->preloaded()) {
        in_order.push_back(own[each]);
    }
    if (!in_order.empty()) { // a stub needs them all, so the loader looks them through in this order
        in_order.push_back(first);
        const std::vector<std::byte> stub = loading_stub(in_order);
        first = files.emplace_back("opened library", stub.size()).path();
        files.back().write(stub, 0);
    }
    handle_ = dlopen(first.c_str(), flags | RTLD_LOCAL);
    bound_ = handle_ != nullptr && (flags & RTLD_NOW) != 0;
    if (handle_ == nullptr && (flags & RTLD_NOW) != 0) {
        // In a process, a function that nobody has does no harm unless it is called. The loader refuses it
        // here, too, if the file wants all names to be bound at once.
        handle_ = dlopen(first.c_str(), RTLD_LAZY | RTLD_LOCAL);
    }
    if (handle_ == nullptr) {
        throw refusal("loading an image of " + unit_->program().path() +
                      " failed: " + loader_words(*unit_, own));
    }
    find_modules(own);
    list_for_debuggers();
    for (std::size_t i = 0; i != modules_.size(); ++i) {
        share_segments(unit_->modules()[i], files[i], modules_[i].base);
        if (under_valgrind()) {
            show_to_valgrind(unit_->modules()[i], modules_[i].base);
        }
    }
    bind_thread_locals();
    copy_held_variables();
}

// The loader has put what it loaded at the end of its list.
void image::find_modules(const std::vector<std::string> &names) {
    link_map *map = nullptr;
    dlinfo(handle_, RTLD_DI_LINKMAP, &map);
    modules_.resize(names.size());
    std::size_t missing = names.size();
    for (; map != nullptr && missing != 0; map = map->l_next) {
        const auto found = std::ranges::find(names, map->l_name);
        if (found == names.end()) {
            continue;
        }
        const auto index = static_cast<std::size_t>(found - names.begin());
        const module &which = unit_->modules()[index];
        modules_[index] = {reinterpret_cast<std::byte *>(map->l_addr), page_ceiling(which.copy->memory_end()),
                           *found};
        // Debuggers and sanitizers look for symbols under this name, whatever folder they are in.
        char *const path = realpath(which.file->path().c_str(), nullptr);
        map->l_name = path != nullptr ? path : strdup(which.file->path().c_str());
        --missing;
    }
    if (missing != 0) {
        throw refusal("loading an image of " + unit_->program().path() +
                      " failed: the loader has taken another library for one of its own");
    }
}

void image::list_for_debuggers() {
    std::vector<image_note> notes;
    for (std::size_t i = 0; i != modules_.size(); ++i) {
        const module &which = unit_->modules()[i];
        notes.push_back({nullptr, reinterpret_cast<std::uintptr_t>(modules_[i].base), which.position,
                         which.file->path().c_str()});
    }
    listed_.list(std::move(notes));
}

void image::bind_thread_locals() const {
    for (std::size_t i = 0; i != modules_.size(); ++i) {
        for (const thread_local_binding &each : unit_->modules()[i].thread_locals) {
            architecture::bind_thread_local(each.kind, modules_[i].base + each.address, each.position,
                                            each.lone_module);
        }
    }
}

void image::copy_held_variables() const {
    for (const held_variable &each : unit_->held_variables()) {
        const void *const original =
            each.shared_original != nullptr ? each.shared_original : modules_[each.module].base + each.place;
        std::memcpy(base() + each.address, original, each.size);
    }
}

void image::construct_first(int argc, char **argv, char **environment) const {
    call_all(base(), unit_->program().tables().functions().before, argc, argv, environment);
}

void image::construct_libraries(int argc, char **argv, char **environment) const {
    for (const std::size_t each : unit_->construction_order()) {
        construct(modules_[each].base, unit_->modules()[each].file->tables().functions(), argc, argv,
                  environment);
    }
}

void image::construct_program(int argc, char **argv, char **environment) const {
    construct(base(), unit_->program().tables().functions(), argc, argv, environment);
}

void image::destruct() const {
    host::destruct(base(), unit_->program().tables().functions());
    for (const std::size_t each : std::views::reverse(unit_->construction_order())) {
        host::destruct(modules_[each].base, unit_->modules()[each].file->tables().functions());
    }
}

void image::place_thread_locals() const noexcept {
    for (std::size_t i = 0; i != modules_.size(); ++i) {
        const module &each = unit_->modules()[i];
        if (each.position != 0) {
            architecture::place_thread_locals(each.file->thread_locals(), modules_[i].base, each.position);
        }
    }
}

} // namespace lisle::host
