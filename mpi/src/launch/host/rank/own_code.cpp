// SPDX-License-Identifier: Apache-2.0
#include "launch/host/rank/own_code.hpp"

#include "base/sanitizer_calls.hpp"
#include "library/host_interface.h"

#include <algorithm>
#include <cstdint>
#include <link.h>

namespace lisle::host {

namespace {

struct range {
    std::uintptr_t begin, end;
};
// Written before any rank runs.
constinit range own[3]{};

/// The loaded object that this address belongs to.
range object_around(std::uintptr_t address) {
    struct search {
        std::uintptr_t address;
        range found;
    } wanted{address, {0, 0}};
    dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *data) {
            auto &[sought, found] = *static_cast<search *>(data);
            for (int i = 0; i != object->dlpi_phnum; ++i) {
                const ElfW(Phdr) &segment = object->dlpi_phdr[i];
                const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
                if (segment.p_type == PT_LOAD && begin <= sought && sought < begin + segment.p_memsz) {
                    found = {begin, begin + segment.p_memsz};
                    return 1;
                }
            }
            return 0;
        },
        &wanted);
    return wanted.found;
}

} // namespace

void note_own_code() {
    own[0] = object_around(reinterpret_cast<std::uintptr_t>(&note_own_code));
    own[1] = object_around(reinterpret_cast<std::uintptr_t>(&lisle_host_in_fiber));
    // A sanitizer looks at the process, not at the rank whose code has called it. 0: there is none.
    own[2] = object_around(reinterpret_cast<std::uintptr_t>(&__sanitizer_set_report_fd));
}

bool is_own_code(const void *address) noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return std::ranges::any_of(
        own, [place](const range &each) { return each.begin <= place && place < each.end; });
}

} // namespace lisle::host
