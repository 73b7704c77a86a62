// SPDX-License-Identifier: Apache-2.0
// A compiled program: the one run-time representation of text and of the embedded form. Every rank compiles
// the same data to the same code, so a task's expression is a number that means the same everywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <lisle/task/datum.hpp>
#include <lisle/task/kernel.hpp>

namespace lisle::tasks {

/// The operations of expressions.
enum class op : std::uint8_t {
    constant,     ///< a: which constant
    local,        ///< a: which slot of the activation
    builtin,      ///< a: which built-in function, b: its short cut
    kernel,       ///< a: which method
    call,         ///< a: which function of the program
    apply,        ///< the first child is the function
    choose,       ///< condition, then, else
    seq,          ///< children in turn
    par,          ///< children at once; the value of the last
    gather,       ///< children at once; the list of the values
    let,          ///< a: the first slot; children: b values for slots, then the body
    lambda,       ///< a: which function; captures: slots whose values it keeps
    run,          ///< a closure without parameters, and a tile for it
    map,          ///< function, sequence: the list of results
    each,         ///< the same without results
    fold,         ///< function, sequence
    fresh_cell,   ///< a new variable that is assigned once
    assign,       ///< cell, value
    read,         ///< cell
    fresh_buffer, ///< a new buffer
    put,          ///< buffer, value
    close,        ///< buffer
    stream,       ///< buffer: its next value
    print,        ///< values, at the gateway
    turns,        ///< function, sequence: each element in turn
    fresh_block,  ///< a value: a block that updates change
    update,       ///< block or list of blocks, function, arguments: its next value, from the present one
};

/// The placement of a task that names no tile.
enum class policy : std::uint8_t { none, here, round_robin, least_loaded, owner, gateway };

/// The most arguments of a simple built-in function.
inline constexpr std::size_t most_simple = 4;

/// One expression.
struct node {
    op what{};
    bool is_simple = false;  ///< has a value at once: no kernel, no call, nothing to wait for
    bool is_quick = false;   ///< a built-in function with a short cut, of the operands left and right
    bool is_placed = false;  ///< says where it runs, or how urgent it is
    bool is_entered = false; ///< a call with simple arguments: it becomes the body without a task
    policy placed_by = policy::none;
    std::uint32_t first = 0, count = 0; ///< children, in code::children
    std::uint32_t waits_for = 0;        ///< how many of its arguments are not simple
    std::uint32_t a = 0, b = 0;
    std::int32_t left = 0, right = 0;  ///< of quick ones: a slot of the activation, or ~ a constant
    std::int32_t tile = -1, rank = -1; ///< expressions that say where it runs, or -1
    std::int32_t priority = -1;        ///< the expression of its priority, or -1
    std::uint32_t slots_first = 0, slots_count = 0; ///< slots of its activation that it uses, in code::slots
    std::uint32_t captures_first = 0, captures_count = 0; ///< of a lambda: slots it keeps, in code::slots
    std::uint32_t function = 0;                           ///< the function that it is part of
    place where;
};

/// A function of the program. Its activation: captured values, parameters, variables of let.
struct function_code {
    std::string name;
    std::uint32_t captured = 0, parameters = 0, slots = 0;
    std::uint32_t body = 0;
    std::vector<std::string> slot_names; ///< of its variables, for pictures
};

/// A compiled program. Does not change.
struct code {
    std::string file;
    std::vector<node> nodes;
    std::vector<std::uint32_t> children, slots;
    std::vector<value> constants;
    std::vector<function_code> functions; ///< 0: the program itself
    std::uint64_t hash = 0;               ///< of all of it
    int gateway = 0;                      ///< the rank that runs it

    [[nodiscard]] std::span<const std::uint32_t> children_of(const node &parent) const noexcept {
        return {children.data() + parent.first, parent.count};
    }
    [[nodiscard]] std::span<const std::uint32_t> slots_of(const node &user) const noexcept {
        return {slots.data() + user.slots_first, user.slots_count};
    }
    [[nodiscard]] std::span<const std::uint32_t> captures_of(const node &maker) const noexcept {
        return {slots.data() + maker.captures_first, maker.captures_count};
    }
};

/// Compiles a program. Throws program_error where a name is unknown, arguments are missing or of a wrong
/// type.
code compile(const source &program, const registry &kernels);

} // namespace lisle::tasks
