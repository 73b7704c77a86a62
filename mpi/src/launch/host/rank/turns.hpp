// SPDX-License-Identifier: Apache-2.0
// What is to be done each time a fiber begins to run or goes on: the kernel keeps one state for the worker's
// thread, which is to be the running fiber's. Costs nothing until something is asked for.
#pragma once

namespace lisle::host {

/// From now on each fiber calls this when it begins to run or goes on. The same function again does nothing.
/// From any thread; not from signal handlers.
void call_at_turns(void (*called)());

/// Does what has been asked for. For a fiber whose rank is known only now that it has begun.
void take_turn();

} // namespace lisle::host
