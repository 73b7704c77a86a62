// SPDX-License-Identifier: Apache-2.0
#include "api/session.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "abi/handle_watch.hpp"
#include "api/rank_data.hpp"
#include "base/error.hpp"
#include "rma/synchronization.hpp"

namespace lisle::api {

void session_init(info *hints, errhandler &errors, MPI_Session *opened) {
    *opened = MPI_SESSION_NULL; // what stays if that fails
    *opened = session::open(hints, errhandler_ref::share(errors)).handle();
}

void session_finalize(MPI_Session *closed) {
    end_rank_data_of_session();
    find_session(*closed)->close();
    rank &self = this_rank();
    const bool last = self.models_in_use.load(std::memory_order_relaxed) == 0;
    if (self.open != nullptr) {
        self.open->drop(abi::listed_value(*closed), "session");
        if (last) {
            abi::report_open_handles(self, "MPI_Session_finalize");
        }
    }
    if (last) {
        rma::leave(self);
    }
    *closed = MPI_SESSION_NULL;
}

void session_get_info(session &session, MPI_Info *info_used) {
    *info_used = handle_of<MPI_Info>(*std::make_unique<info>(session.facts()).release());
}

void session_get_num_psets(session &, info *, int *npset_names) {
    *npset_names = static_cast<int>(std::size(process_sets));
}

void session_get_nth_pset(session &, info *, int n, int *pset_len, char *pset_name) {
    if (n < 0 || static_cast<std::size_t>(n) >= std::size(process_sets)) {
        fail(MPI_ERR_ARG, "process set ", n, " was asked for, but there are ", std::size(process_sets));
    }
    const std::string_view name = process_sets[n];
    if (*pset_len > 0) {
        if (pset_name == nullptr) {
            fail(MPI_ERR_ARG, "pset_name is a null pointer, but pset_len is ", *pset_len);
        }
        const std::size_t length = name.copy(pset_name, static_cast<std::size_t>(*pset_len) - 1);
        pset_name[length] = '\0';
    }
    *pset_len = static_cast<int>(name.size()) + 1;
}

void session_get_pset_info(session &, const char *pset_name, MPI_Info *facts) {
    auto told = std::make_unique<info>();
    told->set("mpi_size", std::to_string(members_of_process_set(pset_name)->size()));
    *facts = handle_of<MPI_Info>(*told.release());
}

} // namespace lisle::api
