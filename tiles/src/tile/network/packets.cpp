// SPDX-License-Identifier: Apache-2.0
#include "tile/network/packets.hpp"

namespace lisle::tile {

namespace {

std::uint64_t key(int high, std::uint32_t low) noexcept {
    return static_cast<std::uint64_t>(high) << 32 | low;
}

} // namespace

int packet_store::make(int from, int to, int words, cycle begun, std::uint32_t drawn) {
    int number = static_cast<int>(packets_.size());
    if (free_.empty()) {
        packets_.emplace_back();
    } else {
        number = free_.back();
        free_.pop_back();
    }
    packet &made = (*this)[number];
    made.way = {.from = from, .to = to, .drawn = drawn};
    made.number = written_[key(from, static_cast<std::uint32_t>(to))]++;
    made.words = static_cast<std::uint8_t>(words);
    made.written = made.arrived = made.read = 0;
    made.early = false;
    made.begun = begun;
    return number;
}

void receiving_port::begin(packet_store &all, int number) {
    packet &begun = all[number];
    const int from = begun.way.from;
    ++traffic_.packets_received;
    std::uint32_t &expected = expected_[from];
    if (begun.number != expected) {
        begun.early = true;
        too_early_[key(from, begun.number)] = number;
        return;
    }
    in_turn_.push_back(number);
    ++expected;
    for (auto next = too_early_.find(key(from, expected)); next != too_early_.end();
         next = too_early_.find(key(from, expected))) {
        in_turn_.push_back(next->second);
        too_early_.erase(next);
        ++expected;
    }
}

void receiving_port::word_arrived(packet_store &all, int number) noexcept {
    ++all[number].arrived;
    ++traffic_.words_received;
}

int receiving_port::held(const packet_store &all) const noexcept {
    int words = 0;
    for (const int number : in_turn_) {
        words += all[number].arrived - all[number].read;
    }
    for (const auto &[which, number] : too_early_) {
        words += all[number].arrived;
    }
    return words;
}

receiving_port::taken receiving_port::read(packet_store &all) {
    const int number = in_turn_.front();
    packet &of = all[number];
    const word value = of.payload[of.read++];
    if (of.read < of.words) {
        return {value, -1};
    }
    in_turn_.pop_front();
    return {value, number};
}

} // namespace lisle::tile
