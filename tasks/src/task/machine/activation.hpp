// SPDX-License-Identifier: Apache-2.0
// What a running program consists of: activations (the variables of one call), records (an expression that
// waits for its arguments) and tasks (an expression that is ready to be evaluated).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "task/language/program.hpp"

namespace lisle::tasks {

/// Blocks of memory that a tile uses again. Belongs to one thread.
class block_pool {
  public:
    block_pool() = default;
    block_pool(const block_pool &) = delete;
    block_pool &operator=(const block_pool &) = delete;
    ~block_pool() {
        for (link *&first : first_) {
            while (first != nullptr) {
                ::operator delete(std::exchange(first, first->next));
            }
        }
    }
    void *take(std::size_t bytes) {
        const std::size_t size = class_of(bytes);
        if (size >= classes || first_[size] == nullptr) {
            return fresh(bytes);
        }
        --kept_[size];
        return std::exchange(first_[size], first_[size]->next);
    }
    /// A block that any pool may be given. Any thread.
    static void *fresh(std::size_t bytes) {
        const std::size_t size = class_of(bytes);
        return ::operator new(size >= classes ? bytes : (size + 1) * grain);
    }
    /// The block may come from another tile's pool.
    void give(void *block, std::size_t bytes) noexcept {
        const std::size_t size = class_of(bytes);
        if (size >= classes || kept_[size] >= most_kept) {
            ::operator delete(block);
            return;
        }
        ++kept_[size];
        first_[size] = new (block) link{first_[size]};
    }

  private:
    struct link { // at the beginning of a block that is free
        link *next;
    };
    static constexpr std::size_t grain = 64, classes = 8, most_kept = 1024;
    static std::size_t class_of(std::size_t bytes) noexcept { return (bytes - 1) / grain; }
    link *first_[classes]{};
    std::size_t kept_[classes]{};
};

/// Values on the stack, of which only those are made that are used.
template <std::size_t Most> class few_values {
  public:
    few_values() noexcept {} // not = default, which would write zeros
    few_values(const few_values &) = delete;
    few_values &operator=(const few_values &) = delete;
    ~few_values() { std::destroy_n(values(), count_); }
    /// One more, to be filled. @pre there is room
    value &add() noexcept { return *new (values() + count_++) value; }
    std::span<value> all() noexcept { return {values(), count_}; }

  private:
    value *values() noexcept { return reinterpret_cast<value *>(room_); }
    alignas(value) std::byte room_[Most * sizeof(value)];
    std::size_t count_ = 0;
};

/// The variables of one call. Shared by its tasks; each slot is written once, before the tasks that read it
/// are made.
struct activation {
    std::atomic<std::uint32_t> references;
    std::uint32_t slots;
    program_state *program;

    value *values() noexcept { return reinterpret_cast<value *>(this + 1); }
    static std::size_t bytes(std::uint32_t slots) noexcept {
        return sizeof(activation) + slots * sizeof(value);
    }
    static activation *make(block_pool &pool, std::uint32_t slots, program_state *program) {
        auto *const made = static_cast<activation *>(pool.take(bytes(slots)));
        new (made) activation{{1}, slots, program};
        for (std::uint32_t i = 0; i < slots; ++i) {
            new (made->values() + i) value;
        }
        return made;
    }
    // Relaxed: the caller has a reference.
    activation *share() noexcept {
        references.fetch_add(1, std::memory_order_relaxed);
        return this;
    }
    // Acquire and release: the last user frees what the others have written. With one reference left there
    // are no others, and the count need not be written.
    void drop(block_pool &pool) noexcept {
        if (references.load(std::memory_order_acquire) != 1 &&
            references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
            return;
        }
        for (std::uint32_t i = 0; i < slots; ++i) {
            values()[i].~value();
        }
        pool.give(this, bytes(slots));
    }
};
static_assert(sizeof(activation) % alignof(value) == 0);

/// The activation of a task over a part of a sequence has two values: the function and the sequence.
inline constexpr std::uint32_t function_slot = 0, sequence_slot = 1, sequence_slots = 2;

/// The action of a record when its last argument is there, besides its expression.
enum class record_kind : std::uint8_t {
    expression, ///< goes on with the expression
    discard,    ///< counts results and keeps failures only: par-for
    fold,       ///< combines two results
    root,       ///< the program's result, and the end of its updates
    answer,     ///< the result goes to another rank
    carry,      ///< a result that came from elsewhere goes to its place
    turns,      ///< begins the next element of a loop
    update,     ///< an update of blocks begins
    versions,   ///< it has ended: the blocks' versions get their values
};
/// The program's record has its value and the first failure of an update.
inline constexpr std::uint32_t root_result = 0, root_failure = 1, root_slots = 2;

/// An expression that waits for its arguments. The one that brings the last of them goes on with it.
struct record {
    std::atomic<std::uint32_t> missing;
    std::uint32_t slots;
    record_kind kind;
    std::uint32_t step; ///< of seq and turns: the next one; of others whether a failure has come
    std::int32_t home;  ///< the tile that has to go on with it, or -1
    std::uint32_t slot; ///< where its own result goes: slot of `to`
    const node *expression;
    activation *variables;
    record *to;
    program_state *program;
    std::uint64_t answer; ///< return address on `answer_rank`
    std::int32_t answer_rank;

    value *values() noexcept { return reinterpret_cast<value *>(this + 1); }
    std::span<value> all() noexcept { return {values(), slots}; }
    static std::size_t bytes(std::uint32_t slots) noexcept { return sizeof(record) + slots * sizeof(value); }
    static record *make(block_pool &pool, std::uint32_t slots, std::uint32_t missing) {
        return make(pool.take(bytes(slots)), slots, missing);
    }
    /// In memory of `bytes(slots)`.
    static record *make(void *memory, std::uint32_t slots, std::uint32_t missing) {
        auto *const made = static_cast<record *>(memory);
        new (made) record{
            {missing}, slots, record_kind::expression, 0, -1, 0, nullptr, nullptr, nullptr, nullptr, 0, -1};
        for (std::uint32_t i = 0; i < slots; ++i) {
            new (made->values() + i) value;
        }
        return made;
    }
    void free(block_pool &pool) noexcept {
        for (value &each : all()) {
            each.~value();
        }
        pool.give(this, bytes(slots));
    }
};
static_assert(sizeof(record) % alignof(value) == 0);

/// An expression that is ready to be evaluated, or (expression null) a record whose arguments are all there.
/// The task owns a reference to its activation.
struct task {
    const node *expression = nullptr;
    activation *variables = nullptr;
    record *to = nullptr; ///< where the result goes; or the record itself
    std::uint32_t slot = 0;
    std::uint32_t is_placed = 0; ///< not 0: it is where it has to run
    /// Of map, each and fold: these elements. The activation has function and sequence.
    std::uint32_t first = 0, end = 0;

    [[nodiscard]] bool is_range() const noexcept { return end != 0; }
};

} // namespace lisle::tasks
