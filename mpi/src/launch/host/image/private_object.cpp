// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/private_object.hpp"

#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/refusal.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <new>
#include <vector>

namespace lisle::host {

namespace {

std::vector<private_object> &known_objects() {
    static std::vector<private_object> known;
    return known;
}

/// A rank's objects by symbol.
const rank_slot<std::map<std::string_view, void *>> rank_objects;

const private_object *find_object(const outer_reference &reference) {
    const auto found = std::ranges::find_if(known_objects(), [&](const private_object &each) {
        return reference.symbol == each.symbol && (!reference.copy || reference.size == each.size);
    });
    return found != known_objects().end() ? &*found : nullptr;
}

/// Variables whose value at the start is all that a program needs: pointers that the host has set before,
/// numbers of locale facets, which are given out once, and the settings and caches of sanitizers.
bool is_settled(std::string_view symbol) {
    static constexpr std::array<std::string_view, 4> settled{
        "program_invocation_name", "program_invocation_short_name", "__progname", "__progname_full"};
    return std::ranges::find(settled, symbol) != settled.end() ||
           (symbol.starts_with("_ZNSt") && symbol.ends_with("2idE")) || symbol.starts_with("__asan_") ||
           symbol.starts_with("__ubsan_") || symbol.starts_with("__tsan_");
}

/// Whether the address lies in memory that is never written: a read-only segment, or a part protected after
/// relocation.
bool is_constant(const void *address) {
    struct question {
        std::size_t address;
        bool constant;
    } asked{reinterpret_cast<std::size_t>(address), false};
    dl_iterate_phdr(
        [](dl_phdr_info *module, std::size_t, void *opaque) {
            auto &about = *static_cast<question *>(opaque);
            for (int i = 0; i != module->dlpi_phnum; ++i) {
                const Elf64_Phdr &part = module->dlpi_phdr[i];
                const bool protects =
                    part.p_type == PT_GNU_RELRO || (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0);
                about.constant |=
                    protects && about.address - (module->dlpi_addr + part.p_vaddr) < part.p_memsz;
            }
            return 0;
        },
        &asked);
    return asked.constant;
}

/// A shared library's own variable, not the program's copy of it.
const void *find_original(const closure &unit, std::string_view symbol) {
    for (const std::string &library : unit.modules().front().shared) {
        void *const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        const void *const address = handle != nullptr ? dlsym(handle, std::string(symbol).c_str()) : nullptr;
        if (handle != nullptr) {
            dlclose(handle);
        }
        if (address != nullptr) {
            return address;
        }
    }
    return nullptr;
}

} // namespace

private_objects::private_objects(std::initializer_list<private_object> objects) {
    known_objects().insert(known_objects().end(), objects);
}

void *private_object_of(const hosted_rank &rank, std::string_view symbol) {
    const auto &own = rank_objects.of(rank);
    const auto found = own.find(symbol);
    return found != own.end() ? found->second : nullptr;
}

private_references::private_references(const closure &unit) {
    for (std::size_t i = 0; i != unit.modules().size(); ++i) {
        for (const outer_reference &each : unit.modules()[i].file->references().outer()) {
            if (const private_object *const object = find_object(each)) {
                references_.push_back({i, each, object});
            }
        }
    }
}

void private_references::bind(hosted_rank &rank, const image &loaded) const {
    for (const reference &each : references_) {
        std::byte *const place = loaded.modules()[each.module].base + each.where.address;
        void *&known = rank_objects.of(rank)[each.object->symbol];
        if (each.where.copy) {
            known = place;
            each.object->construct(rank, place);
        } else {
            if (known == nullptr) {
                known = ::operator new(each.object->size);
                each.object->construct(rank, known);
            }
            *reinterpret_cast<void **>(place) = static_cast<std::byte *>(known) + each.where.addend;
        }
    }
}

void check_copied_variables(const image &loaded) {
    const closure &unit = loaded.unit();
    for (const outer_reference &each : unit.program().references().outer()) {
        // The libraries' own copies use the program's variable, as in a process.
        if (!each.copy || find_object(each) != nullptr || is_settled(each.symbol) ||
            unit.library_defines(each.symbol)) {
            continue;
        }
        const void *const original = find_original(unit, each.symbol);
        if (original == nullptr || loaded.contains(original) || !is_constant(original)) {
            refuse_threads(unit.program().path(),
                           "it holds a copy of the variable " + std::string(each.symbol) +
                               " of a shared library; compile it with mpicc or mpicxx, which pass -fPIC");
        }
    }
}

void check_replaced_functions(const image &loaded) {
    for (const char *const function : {"malloc", "calloc", "realloc", "free", "_Znwm", "_ZdlPv"}) {
        const void *const used = dlsym(loaded.handle(), function);
        if (used != nullptr && loaded.contains(used)) {
            Dl_info owner{};
            dladdr(used, &owner);
            refuse_threads(owner.dli_fname != nullptr ? owner.dli_fname : loaded.unit().program().path(),
                           std::string("it brings its own ") + function +
                               ", while the libraries that the ranks share use the C library's");
        }
    }
}

} // namespace lisle::host
