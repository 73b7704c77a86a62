// SPDX-License-Identifier: Apache-2.0
#include "launch/host/image/debugger_view.hpp"

#include "base/debugged.hpp"
#include "launch/host/image/anonymous_file.hpp"
#include "launch/host/image/loading_stub.hpp"
#include "launch/host/rank/real.hpp"
#include "launch/host/rank/real_calls.hpp"

#include <dlfcn.h>
#include <string>
#include <utility>

/// The first note. Found by its name.
extern "C" __attribute__((visibility("default"))) const lisle::host::image_note *lisle_host_images;
const lisle::host::image_note *lisle_host_images = nullptr;

namespace lisle::host {

void listed_image::list(std::vector<image_note> notes) {
    notes_ = std::move(notes);
    for (image_note &each : notes_) {
        each.next = lisle_host_images;
        lisle_host_images = &each;
    }
}

listed_image::~listed_image() {
    for (const image_note &each : notes_) {
        const image_note **place = &lisle_host_images;
        while (*place != &each) {
            place = const_cast<const image_note **>(&(*place)->next);
        }
        *place = each.next;
    }
}

// A debugger reads the whole list when a library is closed, and only what is new when one is opened.
void show_images_to_debugger() {
    if (!is_debugged()) {
        return;
    }
    const std::string needed[] = {"libc.so.6"};
    const std::vector<std::byte> stub = loading_stub(needed);
    const anonymous_file file("debugger", stub.size());
    file.write(stub, 0);
    if (void *const opened = real_dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
        real_dlclose(opened);
    }
}

} // namespace lisle::host
