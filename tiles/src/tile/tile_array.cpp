// SPDX-License-Identifier: Apache-2.0
#include "tile/tile_array.hpp"

#include <algorithm>
#include <utility>

namespace lisle::tile {

namespace {
// The part that fibers touch takes memory, the rest only addresses.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;
} // namespace

struct tile_array::fiber {
    fiber(tile_array &whole, int tile) : array{whole}, here{whole, tile} {}
    tile_array &array;
    core here;
    flow way;
    wake_reason reason = wake_reason::done;
    bool ended = false;
};

tile_array::tile_array(const parameters &built)
    : machine_{built}, stacks_{static_cast<std::size_t>(built.tiles()), stack_bytes} {}

tile_array::~tile_array() {
    finish();
}

void tile_array::enter(void *which) noexcept {
    auto &self = *static_cast<fiber *>(which);
    tile_array &array = self.array;
    try {
        if (self.reason != wake_reason::stopped) {
            array.program_(self.here);
        }
    } catch (const stop &) {
        // as asked for
    } catch (...) {
        if (array.failure_ == nullptr) {
            array.failure_ = std::current_exception();
        }
    }
    self.ended = true;
    self.here.set_phase(phase::waiting);
    self.way.leave_for(*array.caller_);
}

void tile_array::resume(int tile, wake_reason reason) {
    fiber &next = *fibers_[static_cast<std::size_t>(tile)];
    next.reason = reason;
    flow own; // the caller may be on another stack each time
    caller_ = &own;
    own.switch_to(next.way);
    caller_ = nullptr;
}

wake_reason tile_array::perform(int tile, operation &performed) {
    fiber &self = *fibers_[static_cast<std::size_t>(tile)];
    machine_.start(tile, performed);
    self.way.switch_to(*caller_);
    return self.reason;
}

void tile_array::begin(program run) {
    program_ = std::move(run);
    const int tiles = machine_.shape().tiles();
    for (int tile = 0; tile < tiles; ++tile) {
        const auto place = static_cast<std::size_t>(tile);
        fibers_.push_back(std::make_unique<fiber>(*this, tile));
        fibers_.back()->way.prepare(stacks_.top(place), stacks_.bytes(), enter, fibers_.back().get());
    }
    for (int tile = 0; tile < tiles; ++tile) {
        resume(tile, wake_reason::done);
        check_failure();
    }
}

bool tile_array::advance(cycle until) {
    if (!machine_.advance(until)) {
        return false;
    }
    for (const machine::resumption &each : machine_.resumed()) {
        resume(each.tile, each.reason);
        check_failure();
    }
    return true;
}

void tile_array::finish() {
    for (const std::unique_ptr<fiber> &each : fibers_) {
        while (!each->ended) {
            resume(each->here.tile(), wake_reason::stopped);
        }
        each->here.set_phase(phase::waiting); // books the time to the end
    }
}

std::optional<standstill> tile_array::run(const program &run) {
    begin(run);
    while (advance()) {
    }
    std::optional<standstill> stopped;
    if (!all_ended()) {
        stopped = explain_standstill(machine_);
    }
    finish();
    check_failure();
    return stopped;
}

bool tile_array::all_ended() const noexcept {
    return std::all_of(fibers_.begin(), fibers_.end(),
                       [](const std::unique_ptr<fiber> &each) { return each->ended; });
}

void tile_array::check_failure() {
    if (failure_ != nullptr) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

const mesh_shape &core::shape() const noexcept {
    return array_.machine_.shape();
}
const parameters &core::costs() const noexcept {
    return array_.machine_.built();
}
cycle core::now() const noexcept {
    return array_.machine_.now();
}
int core::waiting() const noexcept {
    return array_.machine_.waiting(tile_);
}
phase core::set_phase(phase next) noexcept {
    return array_.machine_.set_phase(tile_, next);
}

void core::set_handler(interrupt_handler *handler) {
    handler_ = handler;
    set_interrupts();
}

void core::hold_interrupts(bool held) {
    held_ = held;
    set_interrupts();
}

void core::set_interrupts() {
    array_.machine_.set_interrupts(tile_, handler_ != nullptr && !held_ && !handling_);
}

void core::perform(operation &performed) {
    for (;;) {
        switch (array_.perform(tile_, performed)) {
        case wake_reason::done:
            return;
        case wake_reason::stopped:
            throw tile_array::stop{};
        case wake_reason::interrupted:
            break;
        }
        const in_phase booked{*this, phase::interrupt};
        handling_ = true;
        set_interrupts();
        work(costs().interrupt_entry_cycles);
        handler_->words_arrived(*this);
        work(costs().interrupt_exit_cycles);
        handling_ = false;
        set_interrupts();
        if (performed.what == action::rest || performed.what == action::pause) {
            return;
        }
    }
}

void core::work(cycle cycles) {
    if (cycles > 0) {
        operation op{.what = action::work, .each = cycles};
        perform(op);
    }
}

void core::carry_as(packet_class next) {
    array_.machine_.carry_as(tile_, next);
}

void core::send(std::span<word> words, cycle each, bool whole) {
    operation op{
        .what = action::send, .each = each, .words = words.data(), .left = words.size(), .whole = whole};
    perform(op);
}

void core::receive(std::span<word> words, cycle each, int awaits) {
    operation op{
        .what = action::receive, .each = each, .words = words.data(), .left = words.size(), .awaits = awaits};
    perform(op);
}

std::size_t core::receive_waiting(std::span<word> words, cycle each) {
    if (words.empty() || waiting() == 0) {
        return 0;
    }
    operation op{.what = action::receive,
                 .each = each,
                 .words = words.data(),
                 .left = words.size(),
                 .until_dry = true};
    perform(op);
    return words.size() - op.left;
}

void core::rest(int awaits) {
    operation op{.what = action::rest, .awaits = awaits};
    perform(op);
}

void core::pause(bool or_words) {
    operation op{.what = action::pause, .or_words = or_words};
    perform(op);
}

} // namespace lisle::tile
