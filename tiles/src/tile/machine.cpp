// SPDX-License-Identifier: Apache-2.0
#include "tile/machine.hpp"

#include <algorithm>
#include <utility>

namespace lisle::tile {

namespace {

/// True if an interrupt need not wait for the next step of the operation.
bool can_be_interrupted(const operation &running, bool stalled) noexcept {
    return running.what != action::receive && (!running.whole || stalled);
}

} // namespace

machine::machine(const parameters &built)
    : built_{built}, network_{make_network(built)}, agenda_{built.tiles()},
      cores_(static_cast<std::size_t>(built.tiles())) {}

phase machine::set_phase(int tile, phase next) noexcept {
    core &here = at(tile);
    here.counts.cycles[static_cast<std::size_t>(here.now_in)] += now_ - here.since;
    here.since = now_;
    return std::exchange(here.now_in, next);
}

void machine::set_interrupts(int tile, bool on) {
    core &here = at(tile);
    here.interrupts_on = on;
    if (here.current != nullptr && !here.finishing && can_be_interrupted(*here.current, here.stalled) &&
        interrupt_due(tile)) {
        appoint(tile, now_);
    }
}

void machine::start(int tile, operation &started) {
    core &here = at(tile);
    here.current = &started;
    here.finishing = here.stalled = here.draining = false;
    if (can_be_interrupted(started, false) && interrupt_due(tile)) {
        appoint(tile, now_); // act() takes it from there
        here.ends = now_ + started.each;
        return;
    }
    switch (started.what) {
    case action::work:
        here.ends = now_ + started.each;
        appoint(tile, here.ends);
        break;
    case action::send:
        appoint(tile, started.left == 0 ? now_ : now_ + started.each - 1);
        here.finishing = started.left == 0;
        break;
    case action::receive:
    case action::rest:
    case action::pause:
        appoint(tile, now_);
        break;
    }
}

void machine::wake(int tile) {
    core &here = at(tile);
    here.woken = true;
    if (here.current != nullptr && here.current->what == action::pause) {
        appoint(tile, now_);
    }
}

void machine::hand_back(int tile, wake_reason reason) {
    core &here = at(tile);
    end_stall(tile);
    here.current = nullptr;
    here.counts.interrupts += reason == wake_reason::interrupted ? 1 : 0;
    resumed_.push_back({tile, reason});
}

void machine::act(int tile) {
    core &here = at(tile);
    if (here.finishing) {
        hand_back(tile, wake_reason::done);
        return;
    }
    switch (here.current->what) {
    case action::work:
        work(tile);
        break;
    case action::send:
        send(tile);
        break;
    case action::receive:
        receive(tile);
        break;
    case action::rest:
        if (waiting(tile) == 0) {
            stall(tile, phase::waiting);
        } else {
            hand_back(tile, here.interrupts_on ? wake_reason::interrupted : wake_reason::done);
        }
        break;
    case action::pause:
        if (interrupt_due(tile)) {
            hand_back(tile, wake_reason::interrupted);
        } else if (std::exchange(here.woken, false) || (here.current->or_words && waiting(tile) != 0)) {
            hand_back(tile, wake_reason::done);
        } else {
            stall(tile, phase::waiting);
        }
        break;
    }
}

void machine::work(int tile) {
    core &here = at(tile);
    if (now_ >= here.ends) {
        hand_back(tile, wake_reason::done);
    } else if (interrupt_due(tile)) {
        here.current->each = here.ends - now_;
        hand_back(tile, wake_reason::interrupted);
    } else {
        appoint(tile, here.ends);
    }
}

/// A word's turn has come, or there is room for it now, or an interrupt is due while it waits.
void machine::send(int tile) {
    core &here = at(tile);
    operation &sending = *here.current;
    const bool room = network_->has_room(tile);
    if (interrupt_due(tile) && !(sending.whole && room)) {
        hand_back(tile, wake_reason::interrupted); // between two words
        return;
    }
    if (!room) {
        if (here.stalled && built_.watchdog_cycles != 0) {
            drain(tile);
        }
        stall(tile, phase::stalled);
        if (built_.watchdog_cycles != 0) {
            appoint(tile, now_ + built_.watchdog_cycles);
        }
        return;
    }
    end_stall(tile);
    network_->write(tile, *sending.words, now_);
    ++sending.words;
    --sending.left;
    here.finishing = sending.left == 0;
    appoint(tile, now_ + (here.finishing ? 1 : sending.each));
}

void machine::receive(int tile) {
    core &here = at(tile);
    operation &receiving = *here.current;
    if (receiving.left == 0 || (receiving.until_dry && waiting(tile) == 0)) {
        hand_back(tile, wake_reason::done);
        return;
    }
    if (waiting(tile) == 0) {
        stall(tile, phase::waiting);
        return;
    }
    end_stall(tile);
    if (here.drained.empty()) {
        *receiving.words = network_->read(tile);
    } else {
        *receiving.words = here.drained.front();
        here.drained.pop_front();
    }
    ++receiving.words;
    --receiving.left;
    here.finishing = receiving.left == 0;
    appoint(tile, now_ + receiving.each);
}

void machine::stall(int tile, phase as) {
    core &here = at(tile);
    if (!here.stalled) {
        here.stalled = true;
        here.before_stall = set_phase(tile, as);
    }
}

void machine::end_stall(int tile) {
    core &here = at(tile);
    if (here.stalled) {
        here.stalled = false;
        set_phase(tile, here.before_stall);
    }
}

/// The watchdog's interrupt: words in the input buffer move to memory, and so do those that follow, until the
/// operation ends.
void machine::drain(int tile) {
    core &here = at(tile);
    const int words = network_->waiting(tile);
    for (int i = 0; i < words; ++i) {
        here.drained.push_back(network_->read(tile));
    }
    here.draining = true;
    here.counts.watchdog_words += words;
}

void machine::words_arrived(int tile) {
    core &here = at(tile);
    if (here.current == nullptr || here.finishing) {
        return;
    }
    switch (here.current->what) {
    case action::work:
        if (here.interrupts_on) {
            appoint(tile, now_);
        }
        break;
    case action::send:
        if (here.stalled && here.interrupts_on) {
            appoint(tile, now_);
        } else if (here.draining) {
            appoint(tile, now_ + built_.watchdog_word_cycles);
        }
        break;
    case action::receive:
    case action::rest:
    case action::pause:
        if (here.stalled) {
            appoint(tile, now_);
        }
        break;
    }
}

void machine::word_left(int tile) {
    const core &here = at(tile);
    if (here.current != nullptr && here.current->what == action::send && here.stalled) {
        appoint(tile, now_);
    }
}

bool machine::advance(cycle until) {
    resumed_.clear();
    for (;;) {
        while (agenda_.take(now_, acting_)) {
            for (const int tile : acting_) {
                act(tile);
            }
        }
        if (!resumed_.empty()) {
            return true;
        }
        if (now_ >= until) {
            return false;
        }
        if (network_->active()) {
            network_->step(now_);
            if (queues_ != nullptr && now_ >= queues_->next()) {
                queues_->look(*network_, now_);
            }
            ++now_;
            ++stepped_;
            for (const int tile : network_->arrivals()) {
                words_arrived(tile);
            }
            for (const int tile : network_->departures()) {
                word_left(tile);
            }
            continue;
        }
        const cycle next = agenda_.next(now_);
        if (next == agenda::never && until == agenda::never) {
            return false;
        }
        now_ = std::min(next, until);
    }
}

} // namespace lisle::tile
