// SPDX-License-Identifier: Apache-2.0
// The kinds of relocations that the host tells apart, whatever their numbers on a processor are.
#pragma once

namespace lisle::host {

enum class relocation {
    copy,                    ///< the program holds a library's variable itself
    address,                 ///< a word becomes a symbol's address
    function,                ///< the same, for calls only
    thread_local_module,     ///< the number of the module that has a thread-local variable
    thread_local_offset,     ///< its place in the module's block
    thread_local_position,   ///< its place from the thread pointer
    thread_local_descriptor, ///< two words: a function that finds the variable, and its argument
    by_code,                 ///< what a function of the file returns
    other
};

} // namespace lisle::host
