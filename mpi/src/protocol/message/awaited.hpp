// SPDX-License-Identifier: Apache-2.0
// What a thread waits for, said only if somebody asks (execution/wait_table.hpp). Lies on the waiting
// thread's stack.
#pragma once

#include <span>

#include "execution/wait_note.hpp"
#include "protocol/message/envelope.hpp"

namespace lisle {
class rank;
}

namespace lisle::protocol {

class request;

class awaited {
  public:
    virtual void describe(wait_note &note) const = 0;

  protected:
    ~awaited() = default;
};

/// Any messages of any ranks.
class awaited_ranks final : public awaited {
  public:
    void describe(wait_note &note) const override {
        note.add({0, -1, wait_note::nobody, 0, wait_note::sort::other});
    }
};

class awaited_request final : public awaited {
  public:
    explicit awaited_request(const request &one) noexcept : one_{one} {}
    void describe(wait_note &note) const override;

  private:
    const request &one_;
};

/// A message that a probe looks for.
class awaited_probe final : public awaited {
  public:
    explicit awaited_probe(const envelope &pattern) noexcept : pattern_{pattern} {}
    void describe(wait_note &note) const override {
        note.add({pattern_.context, -1, pattern_.source, pattern_.tag, wait_note::sort::probe});
    }

  private:
    const envelope pattern_;
};

/// Other members of a communicator, in a collective.
class awaited_members final : public awaited {
  public:
    /// @param context any of the communicator's
    explicit awaited_members(std::uint64_t context) noexcept : context_{context} {}
    void describe(wait_note &note) const override {
        note.add({context_, -1, wait_note::nobody, 0, wait_note::sort::collective});
    }

  private:
    const std::uint64_t context_;
};

/// Adds what else the calling thread's rank can tell: the call and its place in the program, its
/// communicators, what has come that nobody receives. Sources of messages, which `note` has as ranks of a
/// communicator, become numbers in the job. Defined by the composition root (library/describe_wait.cpp),
/// which knows all parts.
void complete_note(rank &self, wait_note &note);
/// What happens when all ranks of the job wait for each other: a report on standard error and the job's end.
/// Defined there, too. @param question to which all have answered
void end_in_deadlock(rank &self, std::uint32_t question);

} // namespace lisle::protocol
