// SPDX-License-Identifier: Apache-2.0
#include "rma/window.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "collective/selection/selection.hpp"
#include "execution/rank.hpp"
#include "fabric/local/shared_heap.hpp"
#include "rma/messages/registry.hpp"

namespace lisle::rma {

window_memory::window_memory(window_memory &&other) noexcept
    : memory_{std::exchange(other.memory_, nullptr)}, from_heap_{other.from_heap_} {}

window_memory &window_memory::operator=(window_memory &&other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(from_heap_, other.from_heap_);
    return *this;
}

window_memory::~window_memory() {
    if (from_heap_ && memory_ != nullptr) {
        static_cast<void>(shared_heap::release(memory_));
    } else {
        std::free(memory_);
    }
}

window_memory window_memory::allocate(shared_heap *heap, std::size_t bytes, std::size_t alignment) {
    window_memory made;
    if (heap != nullptr) {
        made.memory_ = static_cast<std::byte *>(heap->allocate(bytes));
        made.from_heap_ = made.memory_ != nullptr;
    }
    if (void *memory = nullptr;
        made.memory_ == nullptr && posix_memalign(&memory, alignment, std::max<std::size_t>(bytes, 1)) == 0) {
        made.memory_ = static_cast<std::byte *>(memory);
    }
    return made;
}

window::window(communicator_ref comm, const member_table &table, const window_attributes &facts)
    : object{object_kind::window}, facts{facts}, comm_{std::move(comm)}, rank_{comm_->rank()},
      size_{comm_->size()}, table_{table} {
    if (table_.processes > 1) {
        const auto count = static_cast<std::size_t>(table_.processes);
        distances_ = std::make_unique<std::atomic<std::intptr_t>[]>(count);
        for (std::size_t i = 0; i < count; ++i) {
            distances_[i].store(unknown, std::memory_order_relaxed);
        }
    }
    registry::add(*this);
}

void window::peer_failed_locked(protocol::engine &home, int member) {
    {
        const std::scoped_lock lock{name_mutex_};
        failed_.push_back(member);
        any_failed_.store(true, std::memory_order_relaxed);
    }
    origin.fail_locked(home, member);
    target.fail_locked(home, member);
}

bool window::has_failed(int member) const {
    const std::scoped_lock lock{name_mutex_};
    return std::ranges::find(failed_, member) != failed_.end();
}

window::~window() {
    registry::remove(*this);
    if (block_key != 0) {
        table_.medium->leave_block(block_key, block_sharers);
    }
}

std::byte *window::reach_further(const member_facts &of, std::uint64_t address,
                                 std::size_t bytes) const noexcept {
    if (of.process < 0 || (!of.open && !dynamic())) {
        return nullptr;
    }
    auto &distance = distances_[static_cast<std::size_t>(of.process)];
    const std::intptr_t known = distance.load(std::memory_order_acquire);
    if (known != unknown && !dynamic()) [[likely]] {
        return reinterpret_cast<std::byte *>(static_cast<std::intptr_t>(address) + known);
    }
    std::byte *const found = table_.medium->reach(of.holder, address, bytes);
    if (found != nullptr) {
        distance.store(reinterpret_cast<std::intptr_t>(found) - static_cast<std::intptr_t>(address),
                       std::memory_order_release);
    }
    return found;
}

std::string window::name() const {
    const std::scoped_lock lock{name_mutex_};
    return name_;
}

void window::set_name(std::string name) {
    const std::scoped_lock lock{name_mutex_};
    name_ = std::move(name);
}

void meet(communicator &members) {
    static constexpr collective::operands none{};
    if (!try_at_once(members, collective::operation::barrier, {}, none)) {
        collective::run(members, collective::plan_barrier({members, collective::form::blocking}));
    }
}

} // namespace lisle::rma
