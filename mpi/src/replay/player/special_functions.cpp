// SPDX-License-Identifier: Apache-2.0
// Calls about requests, and probes. A replay keeps the order of what it replays: where the program waited for
// any of several requests, it waits until the one that was over then is over, too, and it looks for the
// message that was found.
#include "replay/player/arguments.hpp"

namespace lisle::replay {

namespace {

void play_waitall(arguments &in) {
    asked_places asked = in.requests();
    in.expect_success(MPI_Waitall(asked.count(), asked.values.data(), MPI_STATUSES_IGNORE));
    in.put_back(asked);
}

void play_wait(arguments &in) {
    asked_places asked = in.requests();
    in.expect_length("requests", asked.values.size(), 1);
    in.expect_success(MPI_Wait(asked.values.data(), MPI_STATUS_IGNORE));
    in.put_back(asked);
}

/// Waits for those that were over in the record, after the call has found some.
void wait_for(asked_places &asked, std::span<const int> indices, arguments &in) {
    for (const int each : indices) {
        if (each < 0 || each >= asked.count()) {
            throw trace_error{"request " + std::to_string(each) + " is over, of " +
                              std::to_string(asked.count())};
        }
        in.expect_success(MPI_Wait(&asked.values[static_cast<std::size_t>(each)], MPI_STATUS_IGNORE));
    }
}

std::vector<int> one_index(arguments &in) {
    const int given = in.number<int>();
    return given < 0 ? std::vector<int>{} : std::vector{given};
}

void play_waitany(arguments &in) {
    asked_places asked = in.requests();
    const std::vector<int> over = one_index(in);
    int index = 0;
    in.expect_success(MPI_Waitany(asked.count(), asked.values.data(), &index, MPI_STATUS_IGNORE));
    wait_for(asked, over, in);
    in.put_back(asked);
}

void play_waitsome(arguments &in) {
    asked_places asked = in.requests();
    const std::vector<int> over = in.numbers<int>();
    std::vector<int> indices(asked.values.size());
    int count = 0;
    in.expect_success(
        MPI_Waitsome(asked.count(), asked.values.data(), &count, indices.data(), MPI_STATUSES_IGNORE));
    wait_for(asked, over, in);
    in.put_back(asked);
}

void play_test(arguments &in) {
    asked_places asked = in.requests();
    in.expect_length("requests", asked.values.size(), 1);
    in.looks_until([&] {
        int flag = 0;
        in.expect_success(MPI_Test(asked.values.data(), &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    });
    in.put_back(asked);
}

void play_testall(arguments &in) {
    asked_places asked = in.requests();
    in.looks_until([&] {
        int flag = 0;
        in.expect_success(MPI_Testall(asked.count(), asked.values.data(), &flag, MPI_STATUSES_IGNORE));
        return flag != 0;
    });
    in.put_back(asked);
}

void play_testany(arguments &in) {
    asked_places asked = in.requests();
    in.looks_until([&] {
        int index = 0, flag = 0;
        in.expect_success(MPI_Testany(asked.count(), asked.values.data(), &index, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    });
    if (in.begin_outcome()) {
        wait_for(asked, one_index(in), in);
    }
    in.put_back(asked);
}

void play_testsome(arguments &in) {
    asked_places asked = in.requests();
    std::vector<int> indices(asked.values.size());
    in.looks_until([&] {
        int count = 0;
        in.expect_success(
            MPI_Testsome(asked.count(), asked.values.data(), &count, indices.data(), MPI_STATUSES_IGNORE));
        return count != 0;
    });
    if (in.begin_outcome()) {
        wait_for(asked, in.numbers<int>(), in);
    }
    in.put_back(asked);
}

void play_request_get_status(arguments &in) {
    const MPI_Request asked = in.request();
    in.looks_until([&] {
        int flag = 0;
        in.expect_success(MPI_Request_get_status(asked, &flag, MPI_STATUS_IGNORE));
        return flag != 0;
    });
}

/// A call that has one request and may change it.
template <int Function(MPI_Request *)> void play_with_request(arguments &in) {
    asked_places asked = in.one_request();
    in.expect_success(Function(asked.values.data()));
    in.put_back(asked);
}

void play_startall(arguments &in) {
    asked_places asked = in.requests();
    in.expect_success(MPI_Startall(asked.count(), asked.values.data()));
    in.put_back(asked);
}

struct sought {
    int source, tag;
    MPI_Comm comm;
};

sought what_is_sought(arguments &in) {
    const int source = in.number<int>();
    const int tag = in.number<int>();
    return {source, tag, in.handle<MPI_Comm>()};
}

void play_probe(arguments &in) {
    const sought what = what_is_sought(in);
    in.expect_success(MPI_Probe(what.source, what.tag, what.comm, MPI_STATUS_IGNORE));
}

void play_mprobe(arguments &in) {
    const sought what = what_is_sought(in);
    const std::uint64_t place = in.place();
    MPI_Message message = MPI_MESSAGE_NULL;
    in.expect_success(MPI_Mprobe(what.source, what.tag, what.comm, &message, MPI_STATUS_IGNORE));
    in.keep(place, message);
}

bool finds(const sought &what, arguments &in) {
    int flag = 0;
    in.expect_success(MPI_Iprobe(what.source, what.tag, what.comm, &flag, MPI_STATUS_IGNORE));
    return flag != 0;
}

void play_iprobe(arguments &in) {
    sought what = what_is_sought(in);
    if (in.begin_outcome()) {
        what.source = in.number<int>();
        what.tag = in.number<int>();
    }
    in.looks_until([&] { return finds(what, in); });
}

// A look in vain of the record may find a message here, which is to stay.
void play_improbe(arguments &in) {
    sought what = what_is_sought(in);
    if (!in.begin_outcome()) {
        in.looks_until([&] { return finds(what, in); });
        return;
    }
    what.source = in.number<int>();
    what.tag = in.number<int>();
    const std::uint64_t place = in.place();
    MPI_Message message = MPI_MESSAGE_NULL;
    in.looks_until([&] {
        int flag = 0;
        in.expect_success(MPI_Improbe(what.source, what.tag, what.comm, &flag, &message, MPI_STATUS_IGNORE));
        return flag != 0;
    });
    in.keep(place, message);
}

/// The end of the record, behind which the replay itself calls it.
void play_finalize(arguments &) {}

constexpr played_function table[] = {
    {"MPI_Wait", play_wait},
    {"MPI_Waitall", play_waitall},
    {"MPI_Waitany", play_waitany},
    {"MPI_Waitsome", play_waitsome},
    {"MPI_Test", play_test},
    {"MPI_Testall", play_testall},
    {"MPI_Testany", play_testany},
    {"MPI_Testsome", play_testsome},
    {"MPI_Request_get_status", play_request_get_status},
    {"MPI_Start", play_with_request<MPI_Start>},
    {"MPI_Startall", play_startall},
    {"MPI_Cancel", play_with_request<MPI_Cancel>},
    {"MPI_Request_free", play_with_request<MPI_Request_free>},
    {"MPI_Probe", play_probe},
    {"MPI_Mprobe", play_mprobe},
    {"MPI_Iprobe", play_iprobe},
    {"MPI_Improbe", play_improbe},
    {"MPI_Finalize", play_finalize},
};

} // namespace

std::span<const played_function> special_functions() noexcept {
    return table;
}

} // namespace lisle::replay
