// SPDX-License-Identifier: Apache-2.0
// Names under which programs of one user and machine publish their ports: a file for each in a folder of the
// user's, LISLE_NAMES or /tmp/lisle-names-UID. On a file system that several machines share, the names are
// common to them. [MPI-5.0 11.9.4]
#pragma once

#include <string>
#include <string_view>

namespace lisle::dynamic {

/// Throws mpi_error: MPI_ERR_SERVICE if a program that still runs has published the name.
void publish(std::string_view service, std::string_view port);
/// Throws mpi_error (MPI_ERR_SERVICE) if the name is not published, or for another port.
void unpublish(std::string_view service, std::string_view port);
/// The port; throws mpi_error (MPI_ERR_NAME) if the name is not published by a program that still runs.
[[nodiscard]] std::string look_up(std::string_view service);

} // namespace lisle::dynamic
