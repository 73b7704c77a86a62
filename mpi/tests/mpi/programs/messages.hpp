// SPDX-License-Identifier: Apache-2.0
// One message of a random program: sent in any mode, received in any way.
#pragma once

#include "parts.hpp"

namespace programs {

enum class send_mode { standard, synchronous, buffered, ready, later, synchronous_later, persistent, modes };
enum class receive_way { blocking, later, probed, matched, matched_now, persistent, ways };

struct message {
    int from = 0, to = 0; ///< ranks of the job
    send_mode mode = send_mode::standard;
    receive_way way = receive_way::blocking;
    int pairs = 0, send_layout = 0, receive_layout = 0, name = 0, tag = 0;
    bool any_tag = false, any_source = false;
};

class messages {
  public:
    messages() : room_(1'000'000) {
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &signals_));
        CHECK_MPI(MPI_Buffer_attach(room_.data(), static_cast<int>(room_.size())));
    }
    messages(const messages &) = delete;
    messages &operator=(const messages &) = delete;
    ~messages() {
        void *room = nullptr;
        int size = 0;
        MPI_Buffer_detach(&room, &size);
        MPI_Comm_free(&signals_);
    }

    /// What the rank `self` has to do with it.
    void pass(const message &now, const place &where, int self, pending &unfinished) {
        message planned = now;
        if (now.from == now.to) { // it cannot wait for itself
            planned.mode = send_mode::later;
        }
        if (planned.mode == send_mode::ready)
            planned.way = receive_way::later;
        if (self == now.to && planned.mode == send_mode::ready)
            receive(planned, where, unfinished);
        if (self == now.from)
            send(planned, where, unfinished);
        if (self == now.to && planned.mode != send_mode::ready)
            receive(planned, where, unfinished);
    }

  private:
    void send(const message &now, const place &where, pending &unfinished) {
        const auto out = std::make_shared<data>(now.send_layout, now.pairs);
        out->fill(now.name);
        const std::vector<int> &group =
            where.inter() && place::rank_in(where.remote, now.to) >= 0 ? where.remote : where.members;
        const int to = place::rank_in(group, now.to);
        const auto keep = [out] { out->check_gaps(); };
        switch (now.mode) {
        case send_mode::standard:
            CHECK_MPI(MPI_Send(out->at(), now.pairs, out->type(), to, now.tag, where.comm));
            break;
        case send_mode::synchronous:
            CHECK_MPI(MPI_Ssend(out->at(), now.pairs, out->type(), to, now.tag, where.comm));
            break;
        case send_mode::buffered:
            CHECK_MPI(MPI_Bsend(out->at(), now.pairs, out->type(), to, now.tag, where.comm));
            CHECK_MPI(MPI_Buffer_flush());
            break;
        case send_mode::ready:
            CHECK_MPI(MPI_Recv(nullptr, 0, MPI_INT, now.to, now.name % 30'000, signals_, MPI_STATUS_IGNORE));
            CHECK_MPI(MPI_Rsend(out->at(), now.pairs, out->type(), to, now.tag, where.comm));
            break;
        case send_mode::later:
            CHECK_MPI(
                MPI_Isend(out->at(), now.pairs, out->type(), to, now.tag, where.comm, &unfinished.add(keep)));
            break;
        case send_mode::synchronous_later:
            CHECK_MPI(MPI_Issend(out->at(), now.pairs, out->type(), to, now.tag, where.comm,
                                 &unfinished.add(keep)));
            break;
        default: {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Send_init(out->at(), now.pairs, out->type(), to, now.tag, where.comm, &request));
            CHECK_MPI(MPI_Start(&request));
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
            CHECK_MPI(MPI_Request_free(&request));
        }
        }
    }

    void receive(const message &now, const place &where, pending &unfinished) {
        const auto in = std::make_shared<data>(now.receive_layout, now.pairs);
        const std::vector<int> &group =
            where.inter() && place::rank_in(where.members, now.from) < 0 ? where.remote : where.members;
        const int from = place::rank_in(group, now.from);
        const int source = now.any_source ? MPI_ANY_SOURCE : from, tag = now.any_tag ? MPI_ANY_TAG : now.tag;
        MPI_Status status{};
        MPI_Message found = MPI_MESSAGE_NULL;
        int flag = 0;
        const auto check = [in, now] {
            in->check(now.name, 0, now.pairs);
            in->check_gaps();
        };
        // A probe would see what a receive that was posted before takes.
        const bool probes = unfinished.empty();
        switch (probes || now.way == receive_way::later || now.way == receive_way::persistent
                    ? now.way
                    : receive_way::blocking) {
        case receive_way::blocking:
            CHECK_MPI(MPI_Recv(in->at(), now.pairs, in->type(), source, tag, where.comm, &status));
            break;
        case receive_way::later:
            CHECK_MPI(
                MPI_Irecv(in->at(), now.pairs, in->type(), source, tag, where.comm, &unfinished.add(check)));
            if (now.mode == send_mode::ready)
                CHECK_MPI(MPI_Send(nullptr, 0, MPI_INT, now.from, now.name % 30'000, signals_));
            return;
        case receive_way::probed:
            CHECK_MPI(MPI_Probe(source, tag, where.comm, &status));
            CHECK_EQ(status.MPI_SOURCE, from);
            CHECK_MPI(MPI_Recv(in->at(), now.pairs, in->type(), from, status.MPI_TAG, where.comm, &status));
            break;
        case receive_way::matched:
            CHECK_MPI(MPI_Mprobe(source, tag, where.comm, &found, &status));
            CHECK_MPI(MPI_Mrecv(in->at(), now.pairs, in->type(), &found, &status));
            break;
        case receive_way::matched_now:
            while (flag == 0)
                CHECK_MPI(MPI_Improbe(source, tag, where.comm, &flag, &found, &status));
            CHECK_MPI(MPI_Imrecv(in->at(), now.pairs, in->type(), &found, &unfinished.add(check)));
            return;
        default: {
            MPI_Request request = MPI_REQUEST_NULL;
            CHECK_MPI(MPI_Recv_init(in->at(), now.pairs, in->type(), source, tag, where.comm, &request));
            CHECK_MPI(MPI_Start(&request));
            CHECK_MPI(MPI_Wait(&request, &status));
            CHECK_MPI(MPI_Request_free(&request));
        }
        }
        int count = 0;
        CHECK_EQ(status.MPI_SOURCE, from);
        CHECK_EQ(status.MPI_TAG, now.tag);
        CHECK_MPI(MPI_Get_count(&status, in->type(), &count));
        CHECK_EQ(count, now.pairs);
        check();
    }

    std::vector<char> room_; ///< for buffered messages
    MPI_Comm signals_ = MPI_COMM_NULL;
};

} // namespace programs
