// SPDX-License-Identifier: Apache-2.0
// Info objects, and what MPI_INFO_ENV tells.
#include "communicator/info.hpp"

#include <algorithm>
#include <climits>
#include <fstream>
#include <iterator>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/settings.hpp"

namespace lisle {

namespace {

void check_key(std::string_view key) {
    if (key.empty()) {
        fail(MPI_ERR_INFO_KEY, "the key is empty");
    }
    if (key.size() >= MPI_MAX_INFO_KEY) {
        fail(MPI_ERR_INFO_KEY, "the key has ", key.size(), " characters, but at most ", MPI_MAX_INFO_KEY - 1,
             " are allowed");
    }
}

auto find_in(auto &entries, std::string_view key) {
    return std::find_if(entries.begin(), entries.end(),
                        [key](const auto &entry) { return entry.first == key; });
}

} // namespace

void info::set(std::string_view key, std::string_view value) {
    check_key(key);
    if (value.size() >= MPI_MAX_INFO_VAL) {
        fail(MPI_ERR_INFO_VALUE, "the value has ", value.size(), " characters, but at most ",
             MPI_MAX_INFO_VAL - 1, " are allowed");
    }
    const std::scoped_lock lock{mutex_};
    const auto found = find_in(entries_, key);
    if (found != entries_.end()) {
        found->second = value;
    } else {
        entries_.emplace_back(key, value);
    }
}

void info::erase(std::string_view key) {
    check_key(key);
    const std::scoped_lock lock{mutex_};
    const auto found = find_in(entries_, key);
    if (found == entries_.end()) {
        fail(MPI_ERR_INFO_NOKEY, "there is no key \"", key, "\"");
    }
    entries_.erase(found);
}

std::optional<std::string> info::get(std::string_view key) const {
    check_key(key);
    const std::scoped_lock lock{mutex_};
    const auto found = find_in(entries_, key);
    return found != entries_.end() ? std::optional{found->second} : std::nullopt;
}

int info::size() const {
    const std::scoped_lock lock{mutex_};
    return static_cast<int>(entries_.size());
}

std::string info::key(int index) const {
    const std::scoped_lock lock{mutex_};
    if (index < 0 || static_cast<std::size_t>(index) >= entries_.size()) {
        fail(MPI_ERR_ARG, "key number ", index, " was asked for, but there are ", entries_.size(), " keys");
    }
    return entries_[static_cast<std::size_t>(index)].first;
}

std::vector<std::pair<std::string, std::string>> info::entries() const {
    const std::scoped_lock lock{mutex_};
    return entries_;
}

void describe_environment(info &into, const std::vector<std::string> &arguments, int job_size) {
    // What does not fit into a value is left out rather than cut: half a path is worse than none.
    const auto add = [&into](const char *key, const std::string &value) {
        if (!value.empty() && value.size() < MPI_MAX_INFO_VAL) {
            into.set(key, value);
        }
    };
    if (!arguments.empty()) {
        add("command", arguments.front());
        std::string rest;
        for (std::size_t i = 1; i < arguments.size(); ++i) {
            rest += (i > 1 ? " " : "") + arguments[i];
        }
        add("argv", rest);
    }
    add("maxprocs", std::to_string(job_size));
    add("soft", std::to_string(job_size));
    utsname machine{};
    if (uname(&machine) == 0) {
        add("host", machine.nodename);
        add("arch", machine.machine);
    }
    char directory[PATH_MAX];
    if (getcwd(directory, sizeof directory) != nullptr) {
        add("wdir", directory);
    }
    add("mpi_initial_errhandler", word_of(setting::initial_errhandler));
}

} // namespace lisle
