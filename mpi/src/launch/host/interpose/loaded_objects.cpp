// SPDX-License-Identifier: Apache-2.0
// The list of what is loaded, as a rank sees it: its own program first, and of files of which each rank has a
// copy its own alone.
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

struct visit {
    const image *own;
    visitor call;
    void *data;
    std::vector<std::string_view> copied; ///< names of the files of which each rank has a copy
};

std::string_view name_of(const dl_phdr_info &object) {
    return object.dlpi_name != nullptr ? object.dlpi_name : "";
}

bool is_program(const visit &wanted, const dl_phdr_info &object) {
    return reinterpret_cast<std::byte *>(object.dlpi_addr) == wanted.own->base();
}

bool is_own_copy(const visit &wanted, const dl_phdr_info &object) {
    return std::ranges::any_of(wanted.own->modules(), [&object](const loaded_module &each) {
        return each.base == reinterpret_cast<std::byte *>(object.dlpi_addr);
    });
}

/// Whether this is another rank's copy of a file.
bool is_of_another(const visit &wanted, const dl_phdr_info &object) {
    return !is_own_copy(wanted, object) && std::ranges::count(wanted.copied, name_of(object)) != 0;
}

int visit_program(dl_phdr_info *object, std::size_t size, void *data) {
    visit &wanted = *static_cast<visit *>(data);
    if (is_own_copy(wanted, *object)) {
        wanted.copied.push_back(name_of(*object));
    }
    if (!is_program(wanted, *object)) {
        return 0;
    }
    dl_phdr_info program = *object;
    program.dlpi_name = ""; // as the loader has it
    return wanted.call(&program, size, wanted.data);
}

int visit_others(dl_phdr_info *object, std::size_t size, void *data) {
    const visit &wanted = *static_cast<visit *>(data);
    if (is_program(wanted, *object) || is_of_another(wanted, *object)) {
        return 0;
    }
    dl_phdr_info other = *object;
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

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int dl_iterate_phdr(visitor call,
                                                                                     void *data) {
    return has_begun ? iterate(call, data, __builtin_return_address(0))
                     : behind(&dl_iterate_phdr, "dl_iterate_phdr")(call, data);
}
