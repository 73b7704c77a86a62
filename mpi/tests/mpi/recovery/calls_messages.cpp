// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <vector>

namespace recovery {

namespace {

constexpr int tag = 3;

using sending = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
using starting = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/// Short ones and long ones.
template <sending Send> int send(surroundings &at) {
    const int error = Send(at.give.data(), 1, MPI_INT, at.dead, tag, at.comm);
    return error != MPI_SUCCESS ? error : Send(at.give.data(), 4096, MPI_INT, at.dead, tag, at.comm);
}
template <starting Start> int start(surroundings &at) {
    MPI_Request request = MPI_REQUEST_NULL;
    return finish(Start(at.give.data(), 4096, MPI_INT, at.dead, tag, at.comm, &request), request);
}
template <starting Make> int make(surroundings &at) {
    MPI_Request request = MPI_REQUEST_NULL;
    return finish_persistent(Make(at.give.data(), 4096, MPI_INT, at.dead, tag, at.comm, &request), request);
}

template <class Call> int with_buffer(Call call) {
    std::vector<char> room(100'000);
    void *address = nullptr;
    int size = 0;
    CHECK_MPI(MPI_Buffer_attach(room.data(), static_cast<int>(room.size())));
    const int error = call();
    CHECK_MPI(MPI_Buffer_detach(&address, &size));
    return error;
}

int receive_from(surroundings &at, int source) {
    return MPI_Recv(at.take.data(), 1, MPI_INT, source, tag, at.comm, MPI_STATUS_IGNORE);
}
MPI_Request irecv(surroundings &at) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(at.take.data(), 1, MPI_INT, at.dead, tag, at.comm, &request));
    return request;
}
int error_in(int error, const MPI_Status &status) {
    return check::error_class(error) == MPI_ERR_IN_STATUS ? status.MPI_ERROR : error;
}

constexpr std::array rows{
    row{"MPI_Send", need::all, end::fails, send<MPI_Send>},
    row{"MPI_Ssend", need::all, end::fails, send<MPI_Ssend>},
    row{"MPI_Rsend", need::all, end::fails, send<MPI_Rsend>},
    row{"MPI_Bsend MPI_Buffer_attach MPI_Buffer_detach", need::all, end::either,
        [](surroundings &at) { return with_buffer([&] { return send<MPI_Bsend>(at); }); }},
    row{"MPI_Isend MPI_Wait", need::all, end::fails, start<MPI_Isend>},
    row{"MPI_Issend", need::all, end::fails, start<MPI_Issend>},
    row{"MPI_Irsend", need::all, end::fails, start<MPI_Irsend>},
    row{"MPI_Ibsend", need::all, end::either,
        [](surroundings &at) { return with_buffer([&] { return start<MPI_Ibsend>(at); }); }},
    row{"MPI_Send_init MPI_Start MPI_Request_free", need::all, end::fails, make<MPI_Send_init>},
    row{"MPI_Ssend_init", need::all, end::fails, make<MPI_Ssend_init>},
    row{"MPI_Rsend_init", need::all, end::fails, make<MPI_Rsend_init>},
    row{"MPI_Bsend_init", need::all, end::either,
        [](surroundings &at) { return with_buffer([&] { return make<MPI_Bsend_init>(at); }); }},
    row{"MPI_Recv", need::all, end::fails, [](surroundings &at) { return receive_from(at, at.dead); }},
    row{"MPI_Recv.any_source", need::all, end::fails,
        [](surroundings &at) { return receive_from(at, MPI_ANY_SOURCE); }},
    row{"MPI_Irecv MPI_Waitall", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            MPI_Status status{};
            return error_in(MPI_Waitall(1, &request, &status), status);
        }},
    row{"MPI_Waitany", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            int index = 0;
            return MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        }},
    row{"MPI_Waitsome", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            MPI_Status status{};
            int index = 0, count = 0;
            return error_in(MPI_Waitsome(1, &request, &count, &index, &status), status);
        }},
    row{"MPI_Test", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            int flag = 0, error = MPI_SUCCESS;
            while (flag == 0 && error == MPI_SUCCESS)
                error = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            return error;
        }},
    row{"MPI_Testall", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            MPI_Status status{};
            int flag = 0, error = MPI_SUCCESS;
            while (flag == 0 && error == MPI_SUCCESS)
                error = MPI_Testall(1, &request, &flag, &status);
            return error_in(error, status);
        }},
    row{"MPI_Testany", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            int flag = 0, index = 0, error = MPI_SUCCESS;
            while (flag == 0 && error == MPI_SUCCESS)
                error = MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
            return error;
        }},
    row{"MPI_Testsome", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            MPI_Status status{};
            int count = 0, index = 0, error = MPI_SUCCESS;
            while (count == 0 && error == MPI_SUCCESS)
                error = MPI_Testsome(1, &request, &count, &index, &status);
            return error_in(error, status);
        }},
    row{"MPI_Recv_init MPI_Startall", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Recv_init(at.take.data(), 1, MPI_INT, at.dead, tag, at.comm, &request));
            int error = MPI_Startall(1, &request);
            error = finish(error, request);
            MPI_Request_free(&request);
            return error;
        }},
    row{"MPI_Cancel", need::all, end::either,
        [](surroundings &at) {
            MPI_Request request = irecv(at);
            CHECK_MPI(MPI_Cancel(&request));
            return MPI_Wait(&request, MPI_STATUS_IGNORE);
        }},
    row{"MPI_Sendrecv", need::all, end::fails,
        [](surroundings &at) {
            return MPI_Sendrecv(at.give.data(), 1, MPI_INT, at.dead, tag, at.take.data(), 1, MPI_INT, at.dead,
                                tag, at.comm, MPI_STATUS_IGNORE);
        }},
    row{"MPI_Sendrecv_replace", need::all, end::fails,
        [](surroundings &at) {
            return MPI_Sendrecv_replace(at.give.data(), 1, MPI_INT, at.dead, tag, at.dead, tag, at.comm,
                                        MPI_STATUS_IGNORE);
        }},
    row{"MPI_Isendrecv", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            return finish(MPI_Isendrecv(at.give.data(), 1, MPI_INT, at.dead, tag, at.take.data(), 1, MPI_INT,
                                        at.dead, tag, at.comm, &request),
                          request);
        }},
    row{"MPI_Isendrecv_replace", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            return finish(MPI_Isendrecv_replace(at.give.data(), 1, MPI_INT, at.dead, tag, at.dead, tag,
                                                at.comm, &request),
                          request);
        }},
    row{"MPI_Iprobe", need::all, end::fails,
        [](surroundings &at) {
            int flag = 0, error = MPI_SUCCESS;
            while (flag == 0 && error == MPI_SUCCESS)
                error = MPI_Iprobe(at.dead, tag, at.comm, &flag, MPI_STATUS_IGNORE);
            return error;
        }},
    row{"MPI_Improbe", need::all, end::fails,
        [](surroundings &at) {
            MPI_Message message = MPI_MESSAGE_NULL;
            int flag = 0, error = MPI_SUCCESS;
            while (flag == 0 && error == MPI_SUCCESS)
                error = MPI_Improbe(at.dead, tag, at.comm, &flag, &message, MPI_STATUS_IGNORE);
            return error;
        }},
    row{"MPI_Mrecv MPI_Imrecv", need::all, end::works,
        [](surroundings &at) {
            const int before = (at.job.rank + at.job.alive - 1) % at.job.alive;
            for (int i = 0; i < 2; ++i)
                CHECK_MPI(MPI_Send(at.give.data(), 1, MPI_INT, at.other, tag, at.comm));
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Mprobe(before, tag, at.comm, &message, MPI_STATUS_IGNORE));
            CHECK_MPI(MPI_Mrecv(at.take.data(), 1, MPI_INT, &message, MPI_STATUS_IGNORE));
            CHECK_MPI(MPI_Mprobe(before, tag, at.comm, &message, MPI_STATUS_IGNORE));
            return finish(MPI_Imrecv(at.take.data(), 1, MPI_INT, &message, &request), request);
        }},
    row{"MPI_Probe", need::all, end::fails,
        [](surroundings &at) { return MPI_Probe(at.dead, tag, at.comm, MPI_STATUS_IGNORE); }},
    row{"MPI_Mprobe", need::all, end::fails,
        [](surroundings &at) {
            MPI_Message message = MPI_MESSAGE_NULL;
            return MPI_Mprobe(MPI_ANY_SOURCE, tag, at.comm, &message, MPI_STATUS_IGNORE);
        }},
    row{"MPI_Psend_init MPI_Pready MPI_Pready_range MPI_Pready_list", need::all, end::either,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Psend_init(at.give.data(), 4, 1, MPI_INT, at.dead, tag, at.comm, MPI_INFO_NULL,
                                     &request));
            CHECK_MPI(MPI_Start(&request));
            const int third = 2;
            CHECK_MPI(MPI_Pready_range(0, 1, request));
            CHECK_MPI(MPI_Pready_list(1, &third, request));
            CHECK_MPI(MPI_Pready(3, request));
            const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            return error;
        }},
    row{"MPI_Precv_init", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            return finish_persistent(
                MPI_Precv_init(at.take.data(), 2, 1, MPI_INT, at.dead, tag, at.comm, MPI_INFO_NULL, &request),
                request);
        }},
    row{"MPI_Parrived", need::all, end::fails,
        [](surroundings &at) {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Precv_init(at.take.data(), 2, 1, MPI_INT, at.dead, tag, at.comm, MPI_INFO_NULL,
                                     &request));
            CHECK_MPI(MPI_Start(&request));
            int arrived = 0, error = MPI_SUCCESS;
            while (arrived == 0 && error == MPI_SUCCESS)
                error = MPI_Parrived(request, 1, &arrived);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            return error;
        }},
    row{"MPI_Send.to_survivors", need::all, end::works,
        [](surroundings &at) {
            const int before = (at.job.rank + at.job.alive - 1) % at.job.alive;
            return MPI_Sendrecv(at.give.data(), 4096, MPI_INT, at.other, tag, at.take.data(), 4096, MPI_INT,
                                before, tag, at.comm, MPI_STATUS_IGNORE);
        }},
    row{"MPIX_Recv_owned", need::all, end::fails,
        [](surroundings &at) {
            void *data = nullptr, *state = nullptr;
            MPI_Count bytes = 0;
            MPIX_Free_function *release = nullptr;
            return MPIX_Recv_owned(&data, &bytes, &release, &state, at.dead, tag, at.comm, MPI_STATUS_IGNORE);
        }},
};

} // namespace

std::span<const row> message_calls() {
    return rows;
}

} // namespace recovery
