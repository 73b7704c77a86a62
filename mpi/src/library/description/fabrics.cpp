// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "fabric/local/peer_memory.hpp"
#include "fabric/network/provider.hpp"
#include "library/description/facts.hpp"
#include "library/fabrics_in_use.hpp"
#include "library/network.hpp"

namespace lisle::description {

namespace {

constexpr const char *in_fabrics = "fabrics";
constexpr const char *used = "used", *not_used = "not used";

/// Whether another process may read this one's memory, as processes of a job do: a child asks for its
/// parent's.
bool processes_read_each_other() {
    fabric::local::open_own_memory();
    const pid_t child = fork();
    if (child == 0) {
        _exit(fabric::local::peer_memory_open(getppid()) ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void add_memory(facts &all) {
    all.push_back({in_fabrics, "shared memory", used, "between ranks of one machine, whatever they are"});
    const std::string name = "copies between processes";
    if (value_of(setting::cma_minimum) == cma_off) {
        all.push_back({in_fabrics, name, not_used, "LISLE_CMA_MINIMUM=off"});
    } else if (processes_read_each_other()) {
        all.push_back({in_fabrics, name, used, "long messages are copied once, by the kernel"});
    } else {
        all.push_back(
            {in_fabrics, name, not_used,
             "the kernel forbids process_vm_readv (a container's seccomp profile, or ptrace_scope): "
             "long messages stream through shared memory"});
    }
}

/// "lisle-tcp on eth0, 192.0.2.7".
std::string name_of(const fabric::network::choice &one) {
    std::array<char, INET6_ADDRSTRLEN> address{};
    tcp::write_text(one.address, address);
    const char *const separator = address.front() != '\0' ? ", " : "";
    return sentence(one.name, " on ", one.on.empty() ? "?" : one.on, separator, address.data());
}

void add_networks(facts &all) {
    try {
        const auto found = fabric::network::judge_providers(wanted_network());
        for (const auto &each : found.choices) {
            all.push_back({in_fabrics, name_of(each.device),
                           each.against.empty() && found.problem.empty() ? used : not_used, each.against});
        }
        all.push_back(
            {in_fabrics, "libfabric", found.libfabric.empty() ? "asked" : not_used, found.libfabric});
        if (!found.problem.empty()) {
            all.push_back({in_fabrics, "network", not_used, found.problem});
        }
    } catch (const std::exception &failure) {
        all.push_back({in_fabrics, "network", not_used, failure.what()});
    }
}

void add_modules(facts &all) {
    for (const known_module &each : known_modules()) {
        all.push_back({in_fabrics, each.form, each.installed ? "on request" : not_used,
                       each.installed ? sentence("lislerun --fabric ", each.form)
                                      : sentence("not installed: there is no ", each.file)});
    }
}

} // namespace

void add_fabrics(facts &all) {
    add_memory(all);
    add_networks(all);
    add_modules(all);
}

} // namespace lisle::description
