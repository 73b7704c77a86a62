// SPDX-License-Identifier: Apache-2.0
#include "file/agreement.hpp"

#include <algorithm>

#include "base/error_texts.hpp"
#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "datatype/predefined.hpp"

namespace lisle::file {

mpi_error error_of_other(int rank, int code) {
    return {code, sentence("the system refused rank ", rank, " of the file its part: ", error_text(code))};
}

void agree(communicator &members, const failure &own) {
    const std::vector<int> codes = gather(members, own ? own->code() : MPI_SUCCESS);
    if (own) {
        throw mpi_error{*own};
    }
    const auto failed = std::ranges::find_if(codes, [](int code) { return code != MPI_SUCCESS; });
    if (failed != codes.end()) {
        throw error_of_other(static_cast<int>(failed - codes.begin()), *failed);
    }
}

void broadcast_bytes(communicator &members, void *bytes, std::size_t size) {
    const typed_buffer buffer{bytes, static_cast<MPI_Count>(size), byte_type()};
    collective::run(members, collective::plan_bcast({members, collective::form::blocking}, buffer, 0));
}

void allgather_bytes(communicator &members, const void *own, std::size_t size, void *all) {
    const auto count = static_cast<MPI_Count>(size);
    const typed_buffer mine{own, count, byte_type()}, block{all, count, byte_type()};
    collective::run(members, collective::plan_allgather({members, collective::form::blocking}, mine, block));
}

} // namespace lisle::file
