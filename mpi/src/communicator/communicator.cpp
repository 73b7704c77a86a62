// SPDX-License-Identifier: Apache-2.0
// Construction and end of a communicator.
#include "communicator/communicator.hpp"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "communicator/directory.hpp"
#include "communicator/observer.hpp"
#include "protocol/engine.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/tracks.hpp"

namespace lisle {

namespace {

static_assert(shadow_offset == protocol::contexts_in_a_row);
static_assert(static_cast<std::uint64_t>(message_space::recovery) == protocol::recovery_context);
static_assert(static_cast<std::uint64_t>(message_space::collective) == protocol::first_common_context);
static_assert(static_cast<std::uint64_t>(message_space::remote_agreement) == protocol::last_common_context);

std::uint64_t context_of(std::uint64_t base, message_space space) noexcept {
    return base + static_cast<std::uint64_t>(space);
}

bool within_local_group(message_space space) noexcept {
    return space == message_space::local_collective || space == message_space::agreement ||
           space == message_space::tagged_agreement;
}

} // namespace

communicator::communicator(std::uint64_t context, const group &local, const group *remote, int self)
    : object{object_kind::communicator}, local_{group_ref::share(local)}, remote_{
                                                                              remote != nullptr
                                                                                  ? group_ref::share(*remote)
                                                                                  : group_ref{}} {
    for (local_slot &slot : slots_) {
        slot.store(not_sought(), std::memory_order_relaxed); // who gives the communicator on orders that
    }
    point_to_point.self = collective.self = local_collective.self = self;
    point_to_point.peers = collective.peers = remote != nullptr ? remote : &local;
    local_collective.peers = &local;
    use_context(context, protocol::engine_for(context));
    communicators->enter(*this);
    try {
        watch_members();
    } catch (...) { // without memory
        give_up_context();
        throw;
    }
}

void communicator::use_context(std::uint64_t context, protocol::engine &home) noexcept {
    point_to_point.home = collective.home = local_collective.home = &home;
    point_to_point.context = context;
    collective.context = context_of(context, message_space::collective);
    local_collective.context =
        inter() ? context_of(context, message_space::local_collective) : collective.context;
}

void communicator::watch_members() {
    protocol::failures &known = point_to_point.home->failures();
    if (context() != 0 && known.can_watch()) {
        known.watch(context(), members());
    }
}

void communicator::settle_context(std::uint64_t context) {
    protocol::engine &before = *point_to_point.home;
    // The others have agreed to have the communicator: what this rank needs for that it gets, sooner or
    // later.
    protocol::engine *home = nullptr;
    protocol::once_there_is_memory(before, [&] { home = &protocol::engine_for(context); });
    communicators->change_context(*this, context, [&] { use_context(context, *home); });
    protocol::once_there_is_memory(before, [this] { watch_members(); });
}

void communicator::give_up_context() noexcept {
    communicators->leave(*this);
    point_to_point.home->failures().forget(context());
}

std::vector<int> communicator::members() const {
    std::vector<int> all = local_->members();
    if (inter()) {
        const std::vector<int> others = remote_->members();
        all.insert(all.end(), others.begin(), others.end());
    }
    return all;
}

int communicator::next_agreement_tag() noexcept {
    constexpr unsigned largest_tag = std::numeric_limits<int>::max();
    return static_cast<int>(agreements_.fetch_add(1, std::memory_order_relaxed) & largest_tag);
}

protocol::channel communicator::channel(message_space space) const noexcept {
    return {context_of(context(), space), rank(),
            within_local_group(space) ? local_.get() : point_to_point.peers, point_to_point.lanes,
            point_to_point.home};
}

void communicator::use_lanes(lane_list lanes) noexcept {
    lanes_ = std::move(lanes);
    point_to_point.lanes = collective.lanes = local_collective.lanes = lanes_->data();
}

std::string communicator::name() const {
    const std::scoped_lock lock{name_mutex_};
    return name_;
}

void communicator::set_name(std::string name) {
    const std::scoped_lock lock{name_mutex_};
    name_ = std::move(name);
}

std::string communicator::label() const {
    std::string text = name();
    return text.empty() ? "the communicator" : text;
}

MPI_Comm communicator::handle() noexcept {
    return known_as_ != MPI_COMM_NULL ? known_as_ : handle_of<MPI_Comm>(*this);
}

void communicator::become_predefined(MPI_Comm constant, std::string name) {
    predefined_ = true;
    known_as_ = constant;
    name_ = std::move(name);
}

void communicator::release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        tell_observer(communicator_event::ends, *this);
        give_up_context();
        delete this;
    }
}

namespace {

/// How what modules keep for communicators is destroyed, by slot. Written before any communicator is made.
std::array<void (*)(void *), communicator::most_slots> destroyers;

} // namespace

std::byte communicator::slot_mark;

std::size_t communicator::allot_slot(void (*destroy)(void *)) {
    static std::size_t next = 0; // the objects of namespace scope are made one after the other
    if (next == most_slots) {
        std::fprintf(stderr, "lisle: more than %zu communicator_local objects\n", most_slots);
        std::abort();
    }
    destroyers[next] = destroy;
    return next++;
}

communicator::~communicator() {
    for (std::size_t i = most_slots; i-- > 0;) {
        // Relaxed: the last reference has gone, which orders all that was done before.
        void *const value = slots_[i].load(std::memory_order_relaxed);
        if (value != nullptr && value != not_sought()) {
            destroyers[i](value);
        }
    }
}

} // namespace lisle
