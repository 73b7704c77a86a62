// SPDX-License-Identifier: Apache-2.0
#include "abi/handle_watch.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "abi/call_address.hpp"
#include "abi/mistakes.hpp"
#include "base/checks.hpp"
#include "base/error.hpp"
#include "communicator/predefined.hpp"
#include "datatype/predefined.hpp"
#include "protocol/message/operation.hpp"

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

std::vector<finding> gather(const std::vector<open_handle> &open) {
    std::vector<finding> found;
    for (const open_handle &handle : open) {
        std::string name = name_of(handle);
        const auto same = std::ranges::find_if(found, [&](const finding &each) {
            return each.first.caller == handle.caller && each.first.words == handle.words &&
                   each.first.noun == handle.noun && each.first.call == handle.call && each.name == name;
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

std::string where_made(const open_handle &made) {
    if (made.words != nullptr) {
        return made.words;
    }
    const auto call_before = [](const void *returns_to) { return static_cast<const char *>(returns_to) - 1; };
    code_place place = place_of(call_before(made.caller));
    if (place.file.empty() || made.outer == nullptr) {
        return line_of(made.caller);
    }
    place.offsets[1] = place_of(call_before(made.outer)).offsets[0];
    return in_words(place);
}

void note_open(open_handles &open, std::uintptr_t value, const char *noun, const char *call,
               const void *caller) {
    const call_address here = current_address();
    const void *outer = nullptr;
    if (here.site != nullptr && here.offsets[1] != 0) {
        outer = static_cast<const char *>(here.site) - here.offsets[0] + here.offsets[1] + 1;
    }
    open.add({value, noun, call, caller, outer, here.words});
}

bool to_be_freed(MPI_Datatype handle) noexcept {
    const datatype *const type = object_of<datatype>(handle);
    return type != nullptr && !type->predefined();
}

void note_lasting_request(open_handles &open, MPI_Request handle, const char *call, const void *caller) {
    const auto *const made = object_of<protocol::request>(handle);
    if (made == nullptr) {
        return;
    }
    const bool lasts = made->persistent || dynamic_cast<const protocol::operation *>(made) == nullptr;
    if (open.lists_all_requests() || (made->ending == protocol::disposal::general && lasts)) {
        note_open(open, listed_value(handle), "request", call, caller);
    } else {
        open.count_requests(1, this_rank().calls_alone());
    }
}

void report_open_handles(rank &self, const char *ends) {
    if (self.open == nullptr) {
        return;
    }
    std::string report;
    for (const auto &[handle, name, count] : gather(self.open->take_all())) {
        report += sentence("lisle: rank ", self.number(), ": ", ends, ": ", count, " ", handle.noun,
                           count == 1 ? "" : "s", name.empty() ? "" : " called \"", name,
                           name.empty() ? "" : "\"", " that ", handle.call, " made at ", where_made(handle),
                           count == 1 ? " was" : " were", " not freed\n");
    }
    if (const std::int64_t requests = self.open->counted_requests(); requests > 0) {
        report += sentence("lisle: rank ", self.number(), ": ", ends, ": ", requests,
                           requests == 1 ? " request of a message was" : " requests of messages were",
                           " neither completed nor freed (LISLE_CHECK=2 says which)\n");
    }
    // One write, so that the reports of several ranks do not mix.
    std::fwrite(report.data(), 1, report.size(), stderr);
}

} // namespace lisle::abi
