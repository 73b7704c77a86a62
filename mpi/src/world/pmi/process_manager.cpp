// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/process_manager.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi.h"
#include "world/pmi/foreign_launcher.hpp"
#include "world/pmi/pmi1_client.hpp"
#include "world/pmi/pmix_client.hpp"

namespace lisle {

std::vector<int> number_nodes(std::span<const std::string> names) {
    std::vector<std::string_view> known;
    std::vector<int> numbers;
    numbers.reserve(names.size());
    for (const std::string &name : names) {
        auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            found = known.insert(known.end(), name);
        }
        numbers.push_back(static_cast<int>(found - known.begin()));
    }
    return numbers;
}

std::unique_ptr<process_manager> connect_to_launcher() {
    if (launcher_speaks_pmix()) {
        if (auto connection = connect_to_pmix()) {
            return connection;
        }
    }
    if (const auto socket = launcher_socket()) {
        return std::make_unique<pmi1_client>(socket->descriptor, socket->process, socket->processes);
    }
    if (launcher_speaks_pmix()) {
        fail(MPI_ERR_OTHER,
             "a PMIx launcher started this program, but Lisle was built without PMIx: build it "
             "again with Debian's libpmix-dev installed, or start the program with lislerun");
    }
    return nullptr;
}

} // namespace lisle
