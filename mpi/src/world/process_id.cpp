// SPDX-License-Identifier: Apache-2.0
#include "world/process_id.hpp"

#include <cerrno>
#include <cstring>
#include <sys/random.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

job_id make_job_id() {
    std::uint64_t bits = 0;
    while (bits == 0) {
        if (getrandom(&bits, sizeof bits, 0) != sizeof bits && errno != EINTR) {
            fail(MPI_ERR_OTHER, "the system gives no random number to name the job: ", std::strerror(errno));
        }
    }
    return job_id{bits};
}

} // namespace lisle
