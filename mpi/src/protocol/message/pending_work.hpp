// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lisle::protocol {

class engine;

/// What is found to be done under an engine's lock, and done without it.
struct pending_work {
    enum class kind : std::uint8_t {
        announced, ///< a receive matched with an announcement
        stored,    ///< a receive matched with a message that is stored, its `captured`
        unasked,   ///< a receive whose sender is to be asked for a stream
        untold,    ///< a receive that has its data, and whose sender waits to hear that
        call,      ///< a pending_call
    };
    explicit pending_work(kind what) noexcept : what{what} {}
    pending_work *next = nullptr;
    kind what;
};

/// Any other work. Belongs to its maker.
struct pending_call : pending_work {
    using function = void (*)(engine &home, pending_call &self);
    explicit pending_call(function run) noexcept : pending_work{kind::call}, run{run} {}
    function run;
};

} // namespace lisle::protocol
