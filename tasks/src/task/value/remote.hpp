// SPDX-License-Identifier: Apache-2.0
// Objects that know of the machine: functions with captured values, cells that tasks wait for, and objects
// that another rank keeps.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <lisle/task/box.hpp>

namespace lisle::tasks {

struct program_state;

/// A function with the values that it has captured.
class closure final : public object {
  public:
    closure(program_state *program, std::uint32_t function, std::vector<value> captured)
        : object{object_kind::closure}, program{program}, function{function}, captured(std::move(captured)) {}
    program_state *const program;
    const std::uint32_t function;
    const std::vector<value> captured;
};

/// Called once with the value that was waited for.
using continuation = std::function<void(value)>;

/// A variable that is assigned once, a buffer of values in order, or a block, whose value is that of its
/// newest version, a variable. Tasks of all ranks may wait for it; it stays where it was made.
class cell final : public object {
  public:
    enum class sort : std::uint8_t { variable, buffer, block };
    explicit cell(sort which) noexcept : object{object_kind::cell}, sort_{which} {}
    /// A block.
    explicit cell(ref<cell> first) noexcept
        : object{object_kind::cell}, sort_{sort::block}, newest_{std::move(first)} {}
    cell(std::deque<value> filled) noexcept
        : object{object_kind::cell}, sort_{sort::buffer}, values_(std::move(filled)), is_closed_{true} {}

    [[nodiscard]] sort which() const noexcept { return sort_; }
    /// Assigns the variable, or adds to the buffer. Throws std::logic_error if that cannot be.
    void put(value given);
    /// No more values will be put.
    void close();
    /// Calls `then` with the variable's value, or the buffer's next (nothing after its end): now, or when it
    /// is there. `then` is called without the cell's lock.
    void get(continuation then);
    /// The version of a block that reads get, after which comes another one. @pre a block
    ref<cell> replace(ref<cell> next);
    [[nodiscard]] ref<cell> newest();

  private:
    const sort sort_;
    std::mutex mutex_; ///< for what follows
    ref<cell> newest_; ///< of a block
    std::deque<value> values_;
    std::deque<continuation> waiting_;
    bool is_closed_ = false;
};

/// An object by the rank that keeps it and its number there.
struct object_address {
    int rank = -1;
    std::uint64_t id = 0;
};

class remote_object;

/// What remote objects ask of the rank that they are on.
class remote_keeper {
  public:
    virtual ~remote_keeper() = default;
    /// Asks the owner for the content. Any thread.
    virtual void request(const ref<remote_object> &wanted) = 0;
    /// Called in the destructor: the owner may forget `count` references. Any thread.
    virtual void forget(remote_object &dying) noexcept = 0;
};

/// An object that another rank keeps: fetched when it is used first, then kept here as long as anybody refers
/// to it. When nobody does, the owner is told.
class remote_object final : public object {
  public:
    /// @param origin where it is itself, if `at` has it from another rank
    remote_object(std::shared_ptr<remote_keeper> keeper, const object_address &at, object_kind what,
                  std::uint64_t type, std::uint64_t size, const object_address &origin)
        : object{object_kind::remote}, owner{at.rank}, id{at.id}, origin{origin}, what{what}, type{type},
          size{size}, keeper_{std::move(keeper)} {}
    ~remote_object() override { keeper_->forget(*this); }

    const int owner;
    const std::uint64_t id;
    const object_address origin;
    const object_kind what;       ///< boxed, text or cell
    const std::uint64_t type;     ///< of boxed objects
    const std::uint64_t size;     ///< bytes
    std::uint64_t references = 1; ///< how many the owner counts for this rank; under the keeper's lock

    /// Whether the content is here. Acquire pairs with the release of arrive().
    [[nodiscard]] bool is_here() const noexcept { return is_here_.load(std::memory_order_acquire); }
    /// @pre is_here()
    [[nodiscard]] const value &content() const noexcept { return content_; }
    /// Calls `then` when the content is here, maybe at once; asks for it if nobody has yet.
    void when_here(std::function<void()> then);
    /// The content, or a failure instead.
    void arrive(value content);

  private:
    const std::shared_ptr<remote_keeper> keeper_;
    std::atomic<bool> is_here_{false};
    value content_;    ///< written once, before is_here_
    std::mutex mutex_; ///< for what follows
    std::vector<std::function<void()>> waiting_;
    bool is_requested_ = false;
};

/// The object itself, if what stands for it has its content.
inline const value &here(const value &any) noexcept {
    return any.is(object_kind::remote) && any.as<remote_object>().is_here()
               ? any.as<remote_object>().content()
               : any;
}
/// Whether this is a stand-in whose content has not been fetched. Cells stay where they are.
inline bool has_to_be_fetched(const value &any) noexcept {
    return any.is(object_kind::remote) && any.as<remote_object>().what != object_kind::cell &&
           !any.as<remote_object>().is_here();
}

} // namespace lisle::tasks
