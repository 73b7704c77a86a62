// SPDX-License-Identifier: Apache-2.0
// The list of what is loaded, as a rank sees it: its own program first, and of files of which each rank has a
// copy its own alone. Unwinders, backtraces and reports ask what an address lies in, also in copies that the
// loader does not know.
#include "launch/host/image/loaded_code.hpp"
#include "launch/host/rank/calls.hpp"
#include "launch/host/rank/early_calls.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <link.h>
#include <string_view>
#include <vector>

namespace lisle::host {

namespace {

using visitor = int (*)(dl_phdr_info *, std::size_t, void *);
const real<"dl_iterate_phdr", int(visitor, void *)> real_iterate;
const real<"_dl_find_object", int(void *, dl_find_object *)> real_find;

struct visit {
    const image *own;
    visitor call;
    void *data;
    std::vector<std::string_view> copied; ///< names of the files of which each rank has a copy
};

std::string_view name_of(const dl_phdr_info &object) {
    return object.dlpi_name != nullptr ? object.dlpi_name : "";
}

/// The rank's copy of this file, as the loader knows it or its original; null: it is none of its copies.
const loaded_module *own_copy(const visit &wanted, const dl_phdr_info &object) {
    const std::vector<loaded_module> &known = wanted.own->original().modules();
    const auto found =
        std::ranges::find(known, reinterpret_cast<std::byte *>(object.dlpi_addr), &loaded_module::base);
    return found != known.end() ? &wanted.own->modules()[static_cast<std::size_t>(found - known.begin())]
                                : nullptr;
}

bool is_program(const visit &wanted, const dl_phdr_info &object) {
    return own_copy(wanted, object) == wanted.own->modules().data();
}

/// What the rank is told of it.
dl_phdr_info as_own(const visit &wanted, const dl_phdr_info &object) {
    dl_phdr_info told = object; // the headers' addresses are relative
    if (const loaded_module *const own = own_copy(wanted, object)) {
        told.dlpi_addr = reinterpret_cast<ElfW(Addr)>(own->base);
    }
    return told;
}

/// Whether this is another rank's copy of a file.
bool is_of_another(const visit &wanted, const dl_phdr_info &object) {
    return own_copy(wanted, object) == nullptr && std::ranges::count(wanted.copied, name_of(object)) != 0;
}

int visit_program(dl_phdr_info *object, std::size_t size, void *data) {
    visit &wanted = *static_cast<visit *>(data);
    if (own_copy(wanted, *object) != nullptr) {
        wanted.copied.push_back(name_of(*object));
    }
    if (!is_program(wanted, *object)) {
        return 0;
    }
    dl_phdr_info program = as_own(wanted, *object);
    program.dlpi_name = ""; // as the loader has it
    return wanted.call(&program, size, wanted.data);
}

int visit_others(dl_phdr_info *object, std::size_t size, void *data) {
    const visit &wanted = *static_cast<visit *>(data);
    if (is_program(wanted, *object) || is_of_another(wanted, *object)) {
        return 0;
    }
    dl_phdr_info other = as_own(wanted, *object);
    if (name_of(other).empty()) { // to the loader, the host is the program
        other.dlpi_name = "lisle-host";
    }
    return wanted.call(&other, size, wanted.data);
}

int iterate(visitor call, void *data, const void *caller) {
    if (!is_call_of_rank(caller)) {
        return real_iterate(call, data);
    }
    visit wanted{&image_of(*lisle::host::this_rank()), call, data, {}};
    const int result = real_iterate(&visit_program, &wanted);
    return result != 0 ? result : real_iterate(&visit_others, &wanted);
}

int find_object(void *address, dl_find_object *result) {
    std::byte *const original = image_copies::original_of(address);
    const int failed = real_find(original != nullptr ? static_cast<void *>(original) : address, result);
    if (failed == 0 && original != nullptr) {
        const auto moved = [distance = static_cast<std::byte *>(address) - original](void *&place) {
            place = static_cast<std::byte *>(place) + distance;
        };
        moved(result->dlfo_map_start);
        moved(result->dlfo_map_end);
        moved(result->dlfo_eh_frame);
    }
    return failed;
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int dl_iterate_phdr(visitor call,
                                                                                     void *data) {
    return has_begun ? iterate(call, data, __builtin_return_address(0))
                     : behind(&dl_iterate_phdr, "dl_iterate_phdr")(call, data);
}

extern "C" [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int _dl_find_object(void *address,
                                                                                     dl_find_object *result) {
    return has_begun ? find_object(address, result)
                     : behind(&_dl_find_object, "_dl_find_object")(address, result);
}
