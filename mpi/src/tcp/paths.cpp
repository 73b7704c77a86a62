// SPDX-License-Identifier: Apache-2.0
#include "tcp/paths.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <tuple>

#include "tcp/connecting.hpp"

namespace lisle::tcp {

namespace {

/// The less, the better.
using path_merit = std::tuple<bool, int, std::int64_t, bool, socket_address>;
struct ranked_path {
    path_merit how_good;
    path which;
};

bool shares_network(const told_interface &one, const told_interface &other) noexcept {
    return one.address.is_in_network_of(other.address, other.network_bits) &&
           other.address.is_in_network_of(one.address, one.network_bits);
}

/// The best way to one interface of a peer, if there is any.
/// @param suits whether an own interface may be used
template <typename Suits> void add_best(const told_machine &own, const told_interface &to, const Suits &suits,
                                        std::vector<ranked_path> &found) {
    std::vector<ranked_path> all;
    bool has_family = false;
    for (const told_interface &from : own.interfaces) {
        if (from.address.family() != to.address.family() || !suits(from)) {
            continue;
        }
        has_family = true;
        if (shares_network(from, to)) {
            all.push_back({{false, -(from.leads_out + to.leads_out),
                            -std::int64_t{std::min(speed_of(from), speed_of(to))},
                            to.address.family() != AF_INET, std::min(from.address, to.address)},
                           {from.address, to.address}});
            all.back().which.from.set_port(0);
        }
    }
    if (all.empty() && has_family) {
        all.push_back(
            {{true, -to.leads_out, -std::int64_t{speed_of(to)}, to.address.family() != AF_INET, to.address},
             {{}, to.address}});
    }
    if (!all.empty()) {
        found.push_back(*std::ranges::min_element(all, {}, &ranked_path::how_good));
    }
}

using clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds longest_silence{2000};
/// The next path is tried as well when one has been silent for so long.
constexpr std::chrono::milliseconds before_next{500};

/// A connection under way.
struct trial {
    std::size_t machine;
    std::size_t path;
    owned_descriptor socket;
    clock::time_point until;
};

class search {
  public:
    explicit search(std::span<const std::vector<path>> all)
        : all_{all}, of_(all.size()), answers_(all.size()) {}

    std::vector<open_path> run() {
        for (begin_due(); !trials_.empty(); begin_due()) {
            hear();
        }
        return std::move(answers_);
    }

  private:
    struct progress {
        std::size_t next = 0;  ///< path to try
        std::size_t tried = 0; ///< paths that are under way
        clock::time_point next_due{};
    };

    [[nodiscard]] bool is_open(std::size_t machine) const noexcept {
        return answers_[machine].number != open_path::none;
    }

    void begin_due() {
        const auto now = clock::now();
        for (std::size_t machine = 0; machine != all_.size(); ++machine) {
            progress &at = of_[machine];
            while (!is_open(machine) && at.next != all_[machine].size() &&
                   (at.tried == 0 || now >= at.next_due)) {
                begin(machine, at.next++);
                at.next_due = now + before_next;
            }
        }
    }

    void begin(std::size_t machine, std::size_t number) {
        const path &by = all_[machine][number];
        begun_connection begun = begin_connecting(by.to, by.from);
        if (!begun.socket || begun.failure != 0) {
            answers_[machine].problem = begun.failure;
            return;
        }
        ++of_[machine].tried;
        trials_.push_back({machine, number, std::move(begun.socket), clock::now() + longest_silence});
    }

    void hear() {
        std::vector<pollfd> asked;
        for (const trial &each : trials_) {
            asked.push_back({each.socket.get(), POLLOUT, 0});
        }
        constexpr int between_looks = 50;
        poll(asked.data(), asked.size(), between_looks);
        const auto now = clock::now();
        for (std::size_t at = 0; at != trials_.size(); ++at) {
            if (asked[at].revents != 0) {
                end(trials_[at], failure_of(trials_[at].socket.get()));
            } else if (now >= trials_[at].until) {
                end(trials_[at], ETIMEDOUT);
            }
        }
        std::erase_if(trials_, [this](const trial &each) { return !each.socket || is_open(each.machine); });
    }

    void end(trial &of, int problem) noexcept {
        open_path &answer = answers_[of.machine];
        --of_[of.machine].tried;
        of.socket.reset();
        if (problem != 0) {
            answer.problem = problem;
        } else if (answer.number == open_path::none) {
            answer.number = static_cast<std::int8_t>(of.path);
        }
    }

    std::span<const std::vector<path>> all_;
    std::vector<progress> of_;
    std::vector<open_path> answers_;
    std::vector<trial> trials_;
};

} // namespace

std::vector<path> paths_between(const told_machine &own, const told_machine &peer) {
    const bool same = own.number == peer.number;
    const auto has = [](const told_machine &machine, const socket_address &address) {
        return std::ranges::any_of(machine.interfaces, [&](const told_interface &each) {
            return each.address.is_on_machine_of(address);
        });
    };
    const auto leads_to = [&](const told_machine &other, const told_interface &each) {
        return same || (!each.address.is_loopback() && !has(other, each.address));
    };
    std::vector<ranked_path> found;
    for (const told_interface &to : peer.interfaces) {
        if (leads_to(own, to)) {
            add_best(
                own, to, [&](const told_interface &from) { return leads_to(peer, from); }, found);
        }
    }
    std::ranges::sort(found, {}, &ranked_path::how_good);
    constexpr std::size_t most = 16;
    std::vector<path> all;
    for (const ranked_path &each : found) {
        if (all.size() != most) {
            all.push_back(each.which);
        }
    }
    return all;
}

std::vector<open_path> find_open(std::span<const std::vector<path>> all) {
    return search{all}.run();
}

} // namespace lisle::tcp
