// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/process_manager.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "mpi.h"
#include "world/pmi/pmi1_client.hpp"
#include "world/pmi/pmix_client.hpp"

namespace lisle {

namespace {

const char *variable(const char *name) {
    const char *const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

/// The number in an environment variable, not negative; nothing if there is none.
std::optional<int> number_of(const char *name) {
    const char *const text = variable(name);
    int number = -1;
    if (text == nullptr) {
        return std::nullopt;
    }
    const char *const end = text + std::strlen(text);
    return std::from_chars(text, end, number).ptr == end && number >= 0 ? std::optional{number}
                                                                        : std::nullopt;
}

bool started_by_pmix() {
    return variable("PMIX_RANK") != nullptr && variable("PMIX_NAMESPACE") != nullptr;
}

} // namespace

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
    if (started_by_pmix()) {
        if (auto connection = connect_to_pmix()) {
            return connection;
        }
    }
    const auto descriptor = number_of("PMI_FD");
    const auto process = number_of("PMI_RANK");
    const auto processes = number_of("PMI_SIZE");
    if (descriptor && process && processes && *process < *processes) {
        return std::make_unique<pmi1_client>(*descriptor, *process, *processes);
    }
    if (started_by_pmix()) {
        fail(MPI_ERR_OTHER,
             "a PMIx launcher started this program, but Lisle was built without PMIx: build it "
             "again with Debian's libpmix-dev installed, or start the program with lislerun");
    }
    return nullptr;
}

} // namespace lisle
