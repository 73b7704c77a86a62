// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/rail/rail_set.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace lisle::fabric::network {

namespace {

/// What stands in an address before that of each rail's endpoint.
struct rail_address {
    tcp::socket_address pulse;
    std::uint32_t bytes; ///< of the provider's own address, which follows
};

tcp::socket_address at_port_of(tcp::socket_address machine, const tcp::socket_address &other) noexcept {
    machine.set_port(other.port());
    return machine;
}

} // namespace

rail_set::rail_set(const std::vector<choice> &chosen, const shared_secret &secret, std::span<std::byte> sends,
                   std::size_t buffer_bytes, std::chrono::seconds silence) {
    for (const choice &each : chosen) {
        all_.push_back(std::make_unique<rail>(each.open(secret), all_.size(), sends, receive_buffers,
                                              buffer_bytes, secret, silence));
    }
}

void rail_set::close() noexcept {
    for (const auto &each : all_) {
        each->close();
    }
}

endpoint_address rail_set::address() const {
    endpoint_address whole;
    for (const auto &each : all_) {
        const std::vector<std::byte> own = each->endpoint().address();
        tcp::socket_address pulse = each->watched().address();
        if (const tcp::socket_address &machine = each->endpoint().traits().own_address;
            pulse.exists() && machine.exists()) {
            pulse = at_port_of(machine, pulse); // it may listen at any
        }
        const rail_address head{pulse, static_cast<std::uint32_t>(own.size())};
        const auto *const begin = reinterpret_cast<const std::byte *>(&head);
        whole.insert(whole.end(), begin, begin + sizeof head);
        whole.insert(whole.end(), own.begin(), own.end());
    }
    return whole;
}

std::vector<peer_number> rail_set::join(int process, std::span<const std::byte> address, const tcp::way &by,
                                        std::chrono::seconds silence) {
    std::vector<peer_number> found;
    for (const auto &each : all_) {
        rail_address head{};
        if (address.size() < sizeof head) {
            break;
        }
        std::memcpy(&head, address.data(), sizeof head);
        address = address.subspan(sizeof head);
        if (head.bytes > address.size()) {
            break;
        }
        found.push_back(each->is_open() ? each->endpoint().add_peer(address.first(head.bytes)) : no_peer);
        address = address.subspan(head.bytes);
        if (found.back() == no_peer) {
            continue;
        }
        each->endpoint().reach(found.back(), by, silence);
        if (head.pulse.exists() && by.is != tcp::way::kind::called) { // else its connection tells
            each->watched().watch(process, by.by.to.exists() ? at_port_of(by.by.to, head.pulse) : head.pulse);
        }
    }
    const bool any = std::ranges::any_of(found, [](peer_number at) { return at != no_peer; });
    return any ? found : std::vector<peer_number>{};
}

void rail_set::say_farewell() noexcept {
    for (const auto &each : all_) {
        each->watched().say_farewell();
    }
}

std::vector<int> rail_set::descriptors() const {
    std::vector<int> found;
    for (const auto &each : all_) {
        found.push_back(each->endpoint().descriptor());
        found.push_back(each->watched().descriptor());
    }
    return found;
}

bool rail_set::may_wait() noexcept {
    return std::ranges::all_of(all_, [](const auto &each) {
        return !each->is_open() || each->endpoint().descriptor() < 0 || each->endpoint().may_wait();
    });
}

std::string rail_set::description() const {
    std::string names;
    for (const auto &each : all_) {
        const device_traits &is = each->endpoint().traits();
        names += sentence(names.empty() ? "" : ", ", is.provider, " on ", is.interface);
    }
    return names;
}

std::uint64_t rail_set::dropped() const noexcept {
    std::uint64_t sum = 0;
    for (const auto &each : all_) {
        sum += each->endpoint().dropped();
    }
    return sum;
}

} // namespace lisle::fabric::network
