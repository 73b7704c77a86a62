// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/provider.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"
#ifdef LISLE_WITH_LIBFABRIC
#include "fabric/network/ofi/libfabric_choices.hpp"
#endif
#include "fabric/network/ofi/hardware.hpp"
#include "fabric/network/tcp/socket_device.hpp"
#ifdef LISLE_WITH_UCX
#include "fabric/network/ucx/ucx_choices.hpp"
#endif
#include "mpi.h"
#include "tcp/tcp_interface.hpp"

namespace lisle::fabric::network {

namespace {

// Hardware, then TCP: ours is the fastest there. `net` is libfabric 1.15's to 1.17's TCP provider with
// reliable datagrams of its own; later ones call it `tcp`.
constexpr std::array<std::string_view, 10> preferred = {
    "psm3", "psm2", "verbs;ofi_rxm", "efa", "cxi", own_tcp, "tcp", "net", "tcp;ofi_rxm", "udp;ofi_rxd",
};

/// What libfabric has.
std::vector<choice> others() {
#ifdef LISLE_WITH_LIBFABRIC
    return libfabric_choices();
#else
    fail(MPI_ERR_OTHER,
         "this build of Lisle has no libfabric: build it again with Debian's libfabric-dev installed");
#endif
}

/// What UCX may use. Nobody gets it unasked: it has not been tried on the hardware that it is for.
std::vector<choice> choices_of_ucx([[maybe_unused]] const provider_request &wanted,
                                   [[maybe_unused]] const std::vector<choice> &over_tcp) {
#ifdef LISLE_WITH_UCX
    return ucx_choices(over_tcp);
#else
    if (const auto named = words_of(wanted.names, ","); named.size() == 1 && named.front() == over_ucx) {
        fail(MPI_ERR_OTHER,
             "this build of Lisle has no UCX: build it again with Debian's libucx-dev installed");
    }
    return {};
#endif
}

/// Whether one is on an interface that the user names.
bool is_on(const choice &one, std::string_view interface) noexcept {
    return interface == one.on || interface == one.network || one.address.is_in(interface);
}

std::string names_of(const std::vector<choice> &all) {
    std::string names;
    for (const choice &each : all) {
        const std::string name = sentence(each.name, " on ", each.on.empty() ? "?" : each.on);
        if (names.find(name) == std::string::npos) {
            names += names.empty() ? name : ", " + name;
        }
    }
    return names.empty() ? "none" : names;
}

} // namespace

int rank_of_provider(std::string_view name) noexcept {
    return static_cast<int>(std::find(preferred.begin(), preferred.end(), name) - preferred.begin());
}

namespace {

std::vector<choice> own_choices(bool everywhere) {
    std::vector<choice> all;
    for (tcp::tcp_interface &each : tcp::tcp_interfaces()) {
        all.push_back(
            {own_tcp.data(), each.name, "", each.address, [each, everywhere](const shared_secret &secret) {
                 return std::make_unique<socket_device>(each, everywhere, secret);
             }});
    }
    return all;
}

/// A request taken apart, beside what there is.
class wish {
  public:
    wish(const provider_request &wanted, const std::vector<choice> &all)
        : named_{words_of(wanted.names, ",")}, interfaces_{words_of(wanted.interface, ",")},
          others_than_loopback_{std::ranges::any_of(all, [](const choice &each) {
              return each.address.family() == AF_INET && !each.address.is_loopback();
          })} {}

    /// The smaller, the more it is preferred; negative: not asked for.
    [[nodiscard]] int rank(const choice &one) const {
        if (named_.empty()) {
            return rank_of_provider(one.name);
        }
        const auto at = std::find(named_.begin(), named_.end(), one.name);
        return at == named_.end() ? -1 : static_cast<int>(at - named_.begin());
    }
    /// Where an interface stands among those that the user names.
    [[nodiscard]] std::size_t place_of(const choice &one) const {
        return static_cast<std::size_t>(
            std::ranges::find_if(interfaces_, [&](std::string_view each) { return is_on(one, each); }) -
            interfaces_.begin());
    }
    [[nodiscard]] std::size_t interfaces() const noexcept { return interfaces_.size(); }

    /// Why it does not suit; empty: it does.
    [[nodiscard]] std::string against(const choice &one) const {
        const int place = rank(one);
        if (place < 0) {
            return "LISLE_NETWORK_PROVIDER names others";
        }
        if (named_.empty() && place == static_cast<int>(preferred.size())) {
            return "nobody has tried this provider: LISLE_NETWORK_PROVIDER can name it";
        }
        if (!interfaces_.empty()) {
            return place_of(one) != interfaces_.size() ? "" : "LISLE_NETWORK_INTERFACE names others";
        }
        // Link-local IPv6 addresses do not reach everywhere, nor does the loopback interface.
        if (one.address.family() == AF_INET6) {
            return "an IPv6 address, which LISLE_NETWORK_INTERFACE can name";
        }
        return one.address.is_loopback() && others_than_loopback_
                   ? "the loopback interface, and there are others"
                   : "";
    }

  private:
    std::vector<std::string_view> named_, interfaces_;
    bool others_than_loopback_;
};

bool is_other_than_libfabric(std::string_view name) noexcept {
    return name == own_tcp || name == over_ucx;
}

/// Adds what libfabric has, if it is to be asked. @return why it was not, or what it said
std::string ask_libfabric(const provider_request &wanted, std::vector<choice> &all) {
    const auto named = words_of(wanted.names, ",");
    if (named.empty() && !all.empty() && !has_hardware_for_libfabric(wanted.kinds_of_devices)) {
        return "not asked: this machine has no network hardware that only libfabric reaches";
    }
    if (!named.empty() && std::ranges::all_of(named, is_other_than_libfabric)) {
        return "not asked: LISLE_NETWORK_PROVIDER names none of its providers";
    }
    try {
        std::ranges::move(others(), std::back_inserter(all));
    } catch (const std::exception &failure) {
        if (!named.empty() || all.empty()) {
            throw;
        }
        return failure.what();
    }
    return {};
}

/// Of those that suit, in the order of preference: which are used. Further ones only where they are named:
/// not every interface of a machine leads to its peers. @return how many
std::size_t take_from(std::vector<judged_choice> &suitable, const wish &asked) {
    std::vector<const choice *> taken;
    for (judged_choice &each : suitable) {
        const auto same_interface = [&](const choice *known) { return known->on == each.device.on; };
        if (taken.empty() ||
            (taken.size() < asked.interfaces() && asked.rank(each.device) == asked.rank(*taken.front()) &&
             std::ranges::none_of(taken, same_interface))) {
            taken.push_back(&each.device);
        } else {
            each.against = sentence(taken.front()->name, " on ", taken.front()->on, " comes first");
        }
    }
    return taken.size();
}

} // namespace

judged_choices judge_providers(const provider_request &wanted) {
    std::vector<choice> all = own_choices(wanted.everywhere);
    std::vector<choice> of_ucx = choices_of_ucx(wanted, all);
    judged_choices result;
    result.libfabric = ask_libfabric(wanted, all);
    std::ranges::move(of_ucx, std::back_inserter(all));
    const wish asked{wanted, all};
    std::vector<judged_choice> suitable, others;
    for (const choice &each : all) {
        std::string against = asked.against(each);
        (against.empty() ? suitable : others).push_back({each, std::move(against)});
    }
    std::ranges::stable_sort(suitable, {}, [&](const judged_choice &one) {
        return std::pair{asked.rank(one.device), asked.place_of(one.device)};
    });
    const std::size_t taken = take_from(suitable, asked);
    if (taken == 0) {
        result.problem =
            sentence("no network suits provider \"", wanted.names.empty() ? "any" : wanted.names,
                     "\" and interface \"", wanted.interface.empty() ? "any" : wanted.interface,
                     "\" (LISLE_NETWORK_PROVIDER, LISLE_NETWORK_INTERFACE); there are: ", names_of(all));
    } else if (taken < asked.interfaces()) {
        result.problem =
            sentence("the provider ", suitable.front().device.name, " is on ", taken, " of the interfaces \"",
                     wanted.interface, "\" (LISLE_NETWORK_INTERFACE); there are: ", names_of(all));
    }
    std::stable_partition(suitable.begin(), suitable.end(),
                          [](const judged_choice &one) { return one.against.empty(); });
    std::ranges::move(others, std::back_inserter(suitable));
    result.choices = std::move(suitable);
    return result;
}

std::vector<choice> choose_providers(const provider_request &wanted) {
    judged_choices found = judge_providers(wanted);
    if (!found.problem.empty()) {
        fail(MPI_ERR_OTHER, found.problem);
    }
    std::vector<choice> taken;
    for (judged_choice &each : found.choices) {
        if (each.against.empty()) {
            taken.push_back(std::move(each.device));
        }
    }
    return taken;
}

} // namespace lisle::fabric::network
