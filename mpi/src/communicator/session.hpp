// SPDX-License-Identifier: Apache-2.0
// A session [MPI-5.0 11.3]: the way into MPI without MPI_COMM_WORLD. A session belongs to one rank; groups
// and communicators that come from it carry its number, so that they find its buffer for as long as it is
// open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/object.hpp"
#include "communicator/errhandler.hpp"
#include "communicator/info.hpp"
#include "mpi.h"
#include "world/group.hpp"

namespace lisle {

namespace protocol {
class send_buffer;
}

/// See the file's head. Any thread of the rank may use one.
class session : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::session;

    /// Opens one for the calling rank. @param hints may be null. Throws MPI_ERR_INFO_VALUE for a thread level
    /// that is none.
    static session &open(const info *hints, errhandler_ref errors);
    /// Waits until what the rank has sent has left, and ends the session.
    void close();

    [[nodiscard]] MPI_Session handle() noexcept { return handle_of<MPI_Session>(*this); }
    /// Unique among the rank's sessions, never 0.
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    /// What MPI_Session_get_info tells.
    [[nodiscard]] const info &facts() const noexcept { return facts_; }

    errhandler_slot errors;
    /// The buffer that the user has attached for buffered sends in this session, or null.
    std::shared_ptr<protocol::send_buffer> send_buffer;

  private:
    session(std::uint64_t number, const info *hints);
    ~session();

    std::uint64_t number_;
    info facts_;
};

/// The info key for the kinds of memory that buffers may lie in [MPI-5.0 11.4.3].
inline constexpr std::string_view memory_kinds_key = "mpi_memory_alloc_kinds";
/// The kinds for what comes from this session of the calling rank; 0: from the world model.
[[nodiscard]] std::string memory_kinds_of(std::uint64_t session_number);

/// The calling rank's open session with this number, or null.
[[nodiscard]] session *find_session(std::uint64_t number);
/// The session behind a handle, or null.
[[nodiscard]] inline session *find_session(MPI_Session handle) noexcept {
    return object_of<session>(handle);
}

/// The process sets that every session offers, and their members as seen by the calling rank.
inline constexpr std::string_view process_sets[] = {"mpi://WORLD", "mpi://SELF"};
/// Throws MPI_ERR_ARG for a name of none. Names are URIs: scheme and host in any case of letters.
[[nodiscard]] group_ref members_of_process_set(std::string_view name);

} // namespace lisle
