// SPDX-License-Identifier: Apache-2.0
#include "abi/handle_watch.hpp"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "datatype/predefined.hpp"

namespace lisle::abi {

namespace {

/// Handles that one call has made in one place, as far as they have the same name.
struct finding {
    open_handle first;
    std::string name;
    std::size_t count = 1;
};

std::string name_of(const open_handle &handle) {
    if (handle.noun == std::string_view{"communicator"}) {
        const auto *const comm = object_of<communicator>(reinterpret_cast<MPI_Comm>(handle.value));
        return comm != nullptr ? comm->name() : std::string{};
    }
    if (handle.noun == std::string_view{"datatype"}) {
        const auto *const type = object_of<datatype>(reinterpret_cast<MPI_Datatype>(handle.value));
        return type != nullptr ? type->name : std::string{};
    }
    return {};
}

/// A place in the program as addr2line takes it: file+0xoffset.
std::string place_of(const void *address) {
    Dl_info about{};
    if (dladdr(address, &about) == 0 || about.dli_fname == nullptr) {
        return sentence(address);
    }
    const std::string_view path = about.dli_fname;
    char offset[24];
    std::snprintf(offset, sizeof offset, "+%#tx",
                  static_cast<const char *>(address) - static_cast<const char *>(about.dli_fbase));
    return sentence(path.substr(path.find_last_of('/') + 1), offset);
}

std::vector<finding> gather(const std::vector<open_handle> &open) {
    std::vector<finding> found;
    for (const open_handle &handle : open) {
        std::string name = name_of(handle);
        const auto same = std::ranges::find_if(found, [&](const finding &each) {
            return each.first.caller == handle.caller && each.first.noun == handle.noun &&
                   each.first.call == handle.call && each.name == name;
        });
        if (same != found.end()) {
            ++same->count;
        } else {
            found.push_back({handle, std::move(name)});
        }
    }
    return found;
}

} // namespace

bool to_be_freed(MPI_Datatype handle) noexcept {
    const datatype *const type = object_of<datatype>(handle);
    return type != nullptr && !type->predefined();
}

void report_open_handles(rank &self, const char *ends) {
    if (self.open == nullptr) {
        return;
    }
    std::string report;
    for (const auto &[handle, name, count] : gather(self.open->take_all())) {
        report += sentence("lisle: rank ", self.number(), ": ", ends, ": ", count, " ", handle.noun,
                           count == 1 ? "" : "s", name.empty() ? "" : " called \"", name,
                           name.empty() ? "" : "\"", " that ", handle.call, " made at ",
                           place_of(handle.caller), count == 1 ? " was" : " were", " not freed\n");
    }
    // One write, so that the reports of several ranks do not mix.
    std::fwrite(report.data(), 1, report.size(), stderr);
}

} // namespace lisle::abi
