// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <vector>

namespace recovery {

namespace {

/// Frees what a call may have made.
int dropped(int error, MPI_Comm made) {
    if (error == MPI_SUCCESS && made != MPI_COMM_NULL)
        CHECK_MPI(MPI_Comm_free(&made));
    return error;
}
template <class Call> int made_by(Call call) {
    MPI_Comm made = MPI_COMM_NULL;
    const int error = call(&made);
    return dropped(error, made);
}
template <class Call> int started_by(Call call) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = finish(call(&made, &request), request);
    return dropped(error, made);
}
/// Of the survivors, or of all.
template <class Call> int with_group(surroundings &at, bool of_all, Call call) {
    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_group(of_all ? at.comm : at.part, &group));
    const int error = made_by([&](MPI_Comm *made) { return call(group, made); });
    CHECK_MPI(MPI_Group_free(&group));
    return error;
}
/// With the communicator of the calling rank's half of the survivors.
template <class Call> int with_half(surroundings &at, Call call) {
    MPI_Comm half = MPI_COMM_NULL;
    const bool lower = at.job.rank < at.job.alive / 2;
    CHECK_MPI(MPI_Comm_split(at.part, lower ? 0 : 1, 0, &half));
    const int error = made_by([&](MPI_Comm *made) { return call(half, lower, made); });
    CHECK_MPI(MPI_Comm_free(&half));
    return error;
}
int from_group(MPI_Group group, const char *name, MPI_Comm *made) {
    return MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, made);
}

const std::array rows{
    row{"MPI_Comm_dup", need::all, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) { return MPI_Comm_dup(at.comm, made); });
        }},
    row{"MPI_Comm_dup.of_survivors", need::all, end::works,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) { return MPI_Comm_dup(at.part, made); });
        }},
    row{"MPI_Comm_dup.inter", need::inter, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) { return MPI_Comm_dup(at.comm, made); });
        }},
    row{"MPI_Comm_dup_with_info", need::all, end::fails,
        [](surroundings &at) {
            return made_by(
                [&](MPI_Comm *made) { return MPI_Comm_dup_with_info(at.comm, MPI_INFO_NULL, made); });
        }},
    row{"MPI_Comm_idup", need::all, end::fails,
        [](surroundings &at) {
            return started_by(
                [&](MPI_Comm *made, MPI_Request *request) { return MPI_Comm_idup(at.comm, made, request); });
        }},
    row{"MPI_Comm_idup_with_info", need::all, end::fails,
        [](surroundings &at) {
            return started_by([&](MPI_Comm *made, MPI_Request *request) {
                return MPI_Comm_idup_with_info(at.comm, MPI_INFO_NULL, made, request);
            });
        }},
    row{"MPI_Comm_create", need::all, end::fails,
        [](surroundings &at) {
            return with_group(at, false, [&](MPI_Group group, MPI_Comm *made) {
                return MPI_Comm_create(at.comm, group, made);
            });
        }},
    row{"MPI_Comm_create_group", need::all, end::works,
        [](surroundings &at) {
            return with_group(at, false, [&](MPI_Group group, MPI_Comm *made) {
                return MPI_Comm_create_group(at.comm, group, 5, made);
            });
        }},
    row{"MPI_Comm_create_group.with_lost", need::all, end::fails,
        [](surroundings &at) {
            return with_group(at, true, [&](MPI_Group group, MPI_Comm *made) {
                return MPI_Comm_create_group(at.comm, group, 6, made);
            });
        }},
    row{"MPI_Comm_create_from_group", need::all, end::works,
        [](surroundings &at) {
            return with_group(at, false, [&](MPI_Group group, MPI_Comm *made) {
                return from_group(group, "survivors", made);
            });
        }},
    row{"MPI_Comm_create_from_group.with_lost", need::all, end::fails,
        [](surroundings &at) {
            return with_group(
                at, true, [&](MPI_Group group, MPI_Comm *made) { return from_group(group, "all", made); });
        }},
    row{"MPI_Comm_split", need::all, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) { return MPI_Comm_split(at.comm, at.job.rank % 2, 0, made); });
        }},
    row{"MPI_Comm_split_type", need::all, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) {
                return MPI_Comm_split_type(at.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made);
            });
        }},
    row{"MPI_Intercomm_create", need::all, end::works,
        [](surroundings &at) {
            return with_half(at, [&](MPI_Comm half, bool lower, MPI_Comm *made) {
                return MPI_Intercomm_create(half, 0, at.comm, lower ? at.job.alive / 2 : 0, 9, made);
            });
        }},
    row{"MPI_Intercomm_create_from_groups", need::all, end::works,
        [](surroundings &at) {
            return with_half(at, [&](MPI_Comm half, bool, MPI_Comm *made) {
                MPI_Group near = MPI_GROUP_NULL, far = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
                CHECK_MPI(MPI_Comm_group(half, &near));
                CHECK_MPI(MPI_Comm_group(at.part, &all));
                CHECK_MPI(MPI_Group_difference(all, near, &far));
                const int error = MPI_Intercomm_create_from_groups(near, 0, far, 0, "halves", MPI_INFO_NULL,
                                                                   MPI_ERRORS_RETURN, made);
                for (MPI_Group *each : {&near, &far, &all})
                    CHECK_MPI(MPI_Group_free(each));
                return error;
            });
        }},
    row{"MPI_Intercomm_merge", need::inter, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) { return MPI_Intercomm_merge(at.comm, 0, made); });
        }},
    row{"MPI_Cart_create", need::all, end::fails,
        [](surroundings &at) {
            const int periodic = 1;
            return made_by([&](MPI_Comm *made) {
                return MPI_Cart_create(at.comm, 1, &at.job.size, &periodic, 0, made);
            });
        }},
    row{"MPI_Cart_create.reordered", need::all, end::fails,
        [](surroundings &at) {
            const int periodic = 1;
            return made_by([&](MPI_Comm *made) {
                return MPI_Cart_create(at.comm, 1, &at.job.size, &periodic, 1, made);
            });
        }},
    row{"MPI_Cart_sub", need::ring, end::fails,
        [](surroundings &at) {
            const int keep = 1;
            return made_by([&](MPI_Comm *made) { return MPI_Cart_sub(at.comm, &keep, made); });
        }},
    row{"MPI_Graph_create", need::all, end::fails,
        [](surroundings &at) {
            std::vector<int> index(static_cast<std::size_t>(at.job.size)), edges(index.size());
            for (std::size_t i = 0; i < index.size(); ++i) {
                index[i] = static_cast<int>(i) + 1;
                edges[i] = (static_cast<int>(i) + 1) % at.job.size;
            }
            return made_by([&](MPI_Comm *made) {
                return MPI_Graph_create(at.comm, at.job.size, index.data(), edges.data(), 0, made);
            });
        }},
    row{"MPI_Dist_graph_create_adjacent", need::all, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) {
                return MPI_Dist_graph_create_adjacent(at.comm, 1, &at.job.rank, MPI_UNWEIGHTED, 1,
                                                      &at.job.rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, made);
            });
        }},
    row{"MPI_Dist_graph_create", need::all, end::fails,
        [](surroundings &at) {
            const int one = 1;
            return made_by([&](MPI_Comm *made) {
                return MPI_Dist_graph_create(at.comm, 1, &at.job.rank, &one, &at.other, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, made);
            });
        }},
    row{"MPI_Comm_free", need::all, end::works, [](surroundings &at) { return MPI_Comm_free(&at.comm); }},
    row{"MPI_Comm_disconnect", need::all, end::either,
        [](surroundings &at) { return MPI_Comm_disconnect(&at.comm); }},
    row{"MPI_Comm_accept MPI_Open_port MPI_Close_port", need::all, end::fails,
        [](surroundings &at) {
            char port[MPI_MAX_PORT_NAME] = "";
            if (at.job.rank == 0)
                CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, port));
            const int error = made_by(
                [&](MPI_Comm *made) { return MPI_Comm_accept(port, MPI_INFO_NULL, 0, at.comm, made); });
            if (at.job.rank == 0)
                CHECK_MPI(MPI_Close_port(port));
            return error;
        }},
    row{"MPI_Comm_connect", need::all, end::fails,
        [](surroundings &at) {
            char port[MPI_MAX_PORT_NAME] = "";
            if (at.job.rank == 0)
                CHECK_MPI(MPI_Open_port(MPI_INFO_NULL, port));
            const int error = made_by([&](MPI_Comm *made) {
                return MPI_Comm_connect(port, MPI_INFO_NULL, at.job.size - 1, at.comm, made);
            });
            if (at.job.rank == 0)
                CHECK_MPI(MPI_Close_port(port));
            return error;
        }},
    row{"MPI_Comm_spawn_multiple", need::all, end::fails,
        [](surroundings &at) {
            char command[] = "/bin/false";
            char *commands[] = {command};
            const int count = 1;
            const MPI_Info hints = MPI_INFO_NULL;
            return made_by([&](MPI_Comm *made) {
                return MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, &count, &hints, at.job.size - 1,
                                               at.comm, made, MPI_ERRCODES_IGNORE);
            });
        }},
    row{"MPI_Comm_spawn", need::all, end::fails,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) {
                return MPI_Comm_spawn("/bin/false", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, at.comm, made,
                                      MPI_ERRCODES_IGNORE);
            });
        }},
    row{"MPIX_Comm_iagree", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            int flag = 1;
            return finish(MPIX_Comm_iagree(at.comm, &flag, &request), request);
        }},
    row{"MPIX_Comm_ishrink", need::all, end::works,
        [](surroundings &at) {
            return started_by([&](MPI_Comm *made, MPI_Request *request) {
                return MPIX_Comm_ishrink(at.comm, made, request);
            });
        }},
    row{"MPIX_Comm_agree", need::all, end::fails,
        [](surroundings &at) {
            int flag = 1;
            return MPIX_Comm_agree(at.comm, &flag);
        }},
    row{"MPIX_Comm_shrink", need::all, end::works,
        [](surroundings &at) {
            return made_by([&](MPI_Comm *made) { return MPIX_Comm_shrink(at.comm, made); });
        }},
};

} // namespace

std::span<const row> communicator_calls() {
    return rows;
}

} // namespace recovery
