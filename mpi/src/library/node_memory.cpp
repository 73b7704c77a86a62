// SPDX-License-Identifier: Apache-2.0
#include "library/node_memory.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "base/error.hpp"
#include "mpi.h"
#include "world/launched_bootstrap.hpp"

namespace lisle {

using fabric::local::node_segment;

namespace {

/// Where the memory is: an open file of the process that has made it.
struct open_file {
    std::int32_t pid;
    std::int32_t descriptor;
};
constexpr std::string_view key = "node-memory";

std::optional<open_file> file_in(const std::vector<std::byte> &said) {
    open_file file{};
    if (said.size() != sizeof file) {
        return std::nullopt;
    }
    std::memcpy(&file, said.data(), sizeof file);
    return file;
}

node_segment open_memory_of(bootstrap &start, int maker) {
    const auto said = file_in(start.get(maker, key));
    if (!said) {
        fail(MPI_ERR_OTHER, "process ", maker, " uses another version of Lisle");
    }
    const open_file file = *said;
    std::optional<node_segment> opened = node_segment::attach_to_that_of(file.pid, file.descriptor);
    if (!opened) {
        fail(MPI_ERR_OTHER, "process ", start.self().index, " cannot open the memory that process ", maker,
             " of the same node has made, /proc/", file.pid, "/fd/", file.descriptor, ": ",
             std::strerror(errno), " (set LISLE_NODES=-1 for all processes if they may share none)");
    }
    return std::move(*opened);
}

} // namespace

node_segment meet_on_node(bootstrap &start) {
    const locality &places = start.places();
    const int self = start.self().index;
    const int node = places.node_of_process(self);
    const int maker = places.process_on(node, 0);
    // Lisle's launcher reads in a file what ranks wait for.
    if (places.processes_on(node) == 1 && !start.reports_ends()) {
        start.fence();
        return node_segment::private_to_process(places.shape_of_node(node));
    }
    if (self != maker) {
        start.fence();
        return open_memory_of(start, maker);
    }
    node_segment made = node_segment::create(places.shape_of_node(node));
    const open_file file{getpid(), made.descriptor()};
    start.put(key, std::as_bytes(std::span{&file, 1}));
    start.fence();
    return made;
}

std::optional<node_segment> memory_made_by(const job_table &table, int maker) {
    const auto said = value_put_by(table, maker, key);
    const auto file = said ? file_in(*said) : std::nullopt;
    return file ? node_segment::attach_to_that_of(file->pid, file->descriptor) : std::nullopt;
}

} // namespace lisle
