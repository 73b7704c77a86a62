// SPDX-License-Identifier: Apache-2.0
// Random messages against an oracle. In every batch each rank sends messages that follow from a seed, so
// the receivers know what must come; they take it through a random mixture of exact and wildcard receives,
// posted and probed. The oracle: receives in the order of posting get the messages of each stream (source,
// tag, communicator) in the order of sending, whole and right.
// Use: fuzz [messages of the whole job [seed]]
#include "payload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

constexpr int comm_count = 3;
constexpr std::size_t most_bytes = 200'000;
constexpr std::array<int, 5> tags{0, 1, 2, 77, 32767};

struct planned_message {
    int source;
    int dest;
    int tag;
    int comm;
    std::size_t bytes;
    std::uint64_t seed;
    bool synchronous;
};

using stream = std::tuple<int, int, int>; // source, tag, communicator

std::size_t random_length(random_numbers &random) {
    const std::size_t kind = random.below(std::size_t{100});
    return random.below(kind < 50   ? std::size_t{64}
                        : kind < 80 ? std::size_t{2048}
                        : kind < 97 ? 20'000
                                    : most_bytes);
}

/// What rank `source` sends in this batch, in order.
std::vector<planned_message> plan(std::uint64_t seed, int batch, int source, int size, int count) {
    random_numbers random(seed * 7919 + static_cast<std::uint64_t>(batch) * 1009 +
                          static_cast<std::uint64_t>(source));
    std::vector<planned_message> result;
    for (int i = 0; i < count; ++i)
        result.push_back({source, random.below(size), tags[random.below(tags.size())],
                          random.below(comm_count), random_length(random), random.next(),
                          random.below(8) == 0});
    return result;
}

constexpr std::byte guard{0x5a};
constexpr std::size_t guard_bytes = 16;

/// Receive buffers for the longest message, full of guard bytes; kept, since filling them takes long.
class buffer_pool {
  public:
    equal_bytes take() {
        if (free_.empty())
            return {most_bytes + guard_bytes, guard};
        equal_bytes buffer = std::move(free_.back());
        free_.pop_back();
        return buffer;
    }
    /// @param used how many bytes at the beginning are no guard bytes any more
    void give_back(equal_bytes &&buffer, std::size_t used) {
        std::memset(buffer.data(), static_cast<int>(guard), used);
        free_.push_back(std::move(buffer));
    }

  private:
    std::vector<equal_bytes> free_;
};

/// One receive of a batch: its selector, how it is made, and where the data go.
struct planned_receive {
    int source;
    int tag;
    int comm;
    bool probed;
    equal_bytes buffer;
    MPI_Status status;
};

class batch {
  public:
    batch(const check::job &job, const std::array<MPI_Comm, comm_count> &comms, buffer_pool &pool,
          std::uint64_t seed, int number, int count)
        : job_{job}, comms_{comms}, pool_{pool}, random_{seed ^ (static_cast<std::uint64_t>(number) << 20) ^
                                                         static_cast<std::uint64_t>(job.rank)} {
        for (int source = 0; source < job.size; ++source)
            for (const planned_message &message : plan(seed, number, source, job.size, count)) {
                if (message.dest == job.rank) {
                    expected_[{source, message.tag, message.comm}].push_back(message);
                    ++incoming_;
                }
                if (source == job.rank)
                    outgoing_.push_back(message);
            }
        choose_receives();
    }

    void run() {
        std::vector<equal_bytes> out(outgoing_.size());
        std::vector<MPI_Request> sends(outgoing_.size(), MPI_REQUEST_NULL);
        std::vector<MPI_Request> posted;
        std::vector<std::size_t> posted_index;
        std::size_t next_send = 0;
        std::size_t next_receive = 0;
        // Sends and posted receives in random alternation; a probing receive blocks, so it comes when all
        // sends are under way.
        while (next_send < outgoing_.size() || next_receive < receives_.size()) {
            const bool can_receive = next_receive < receives_.size() &&
                                     (!receives_[next_receive].probed || next_send == outgoing_.size());
            if (next_send < outgoing_.size() && (!can_receive || random_.below(2) == 0)) {
                start_send(outgoing_[next_send], out[next_send], sends[next_send]);
                ++next_send;
            } else {
                planned_receive &receive = receives_[next_receive];
                if (receive.probed) {
                    probe(receive);
                } else {
                    posted.push_back(MPI_REQUEST_NULL);
                    posted_index.push_back(next_receive);
                    receive.buffer = pool_.take();
                    CHECK_MPI(MPI_Irecv(receive.buffer.data(), static_cast<int>(most_bytes), MPI_BYTE,
                                        receive.source, receive.tag, comm_of(receive), &posted.back()));
                }
                ++next_receive;
            }
        }
        complete(posted, posted_index);
        for (planned_receive &receive : receives_)
            check_received(receive);
        CHECK_MPI(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE));
        for (std::size_t i = 0; i < out.size(); ++i)
            CHECK(is_random(out[i].data(), out[i].size(), outgoing_[i].seed));
    }

  private:
    [[nodiscard]] MPI_Comm comm_of(const planned_receive &receive) const {
        return comms_[static_cast<std::size_t>(receive.comm)];
    }
    /// The last communicator numbers the ranks backwards.
    [[nodiscard]] int local_rank(int world_rank, int comm) const {
        return comm == comm_count - 1 ? job_.size - 1 - world_rank : world_rank;
    }

    /// Exact receives first, then wider and wider ones for what is left: so none can starve, whatever the
    /// order of arrival.
    void choose_receives() {
        std::map<std::pair<int, int>, int> by_source; // (source, communicator): left over for ANY_TAG
        std::map<std::pair<int, int>, int> by_tag;    // (tag, communicator): left over for ANY_SOURCE
        std::array<int, comm_count> whole{};
        // In one batch a communicator uses either ANY_TAG or ANY_SOURCE in the middle: crossing selectors
        // could starve one another.
        std::array<bool, comm_count> sources_first{};
        for (bool &choice : sources_first)
            choice = random_.below(2) == 0;
        for (const auto &[key, messages] : expected_) {
            const auto &[source, tag, comm] = key;
            for (std::size_t i = 0; i < messages.size(); ++i) {
                const int kind = random_.below(3);
                if (kind == 0)
                    add(source, tag, comm);
                else if (kind == 1 && sources_first[static_cast<std::size_t>(comm)])
                    ++by_source[{source, comm}];
                else if (kind == 1)
                    ++by_tag[{tag, comm}];
                else
                    ++whole[static_cast<std::size_t>(comm)];
            }
        }
        shuffle(0);
        const std::size_t exact = receives_.size();
        for (const auto &[key, count] : by_source)
            for (int i = 0; i < count; ++i)
                add(key.first, MPI_ANY_TAG, key.second);
        for (const auto &[key, count] : by_tag)
            for (int i = 0; i < count; ++i)
                add(MPI_ANY_SOURCE, key.first, key.second);
        shuffle(exact);
        const std::size_t middle = receives_.size();
        for (int comm = 0; comm < comm_count; ++comm)
            for (int i = 0; i < whole[static_cast<std::size_t>(comm)]; ++i)
                add(MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
        shuffle(middle);
        CHECK_EQ(receives_.size(), incoming_);
        // Some of the last are probed for.
        if (random_.below(2) == 0)
            for (std::size_t i = middle; i < receives_.size(); ++i)
                receives_[i].probed = random_.below(3) == 0;
    }
    void add(int source, int tag, int comm) {
        receives_.push_back({source == MPI_ANY_SOURCE ? source : local_rank(source, comm),
                             tag,
                             comm,
                             false,
                             {},
                             MPI_Status{}});
    }
    void shuffle(std::size_t from) {
        for (std::size_t i = receives_.size(); i > from + 1; --i)
            std::swap(receives_[i - 1], receives_[from + random_.below(i - from)]);
    }

    void start_send(const planned_message &message, equal_bytes &buffer, MPI_Request &request) {
        buffer = {message.bytes, std::byte{}};
        fill_random(buffer.data(), buffer.size(), message.seed);
        MPI_Comm comm = comms_[static_cast<std::size_t>(message.comm)];
        const int dest = local_rank(message.dest, message.comm);
        const int count = static_cast<int>(message.bytes);
        if (message.synchronous)
            CHECK_MPI(MPI_Issend(buffer.data(), count, MPI_BYTE, dest, message.tag, comm, &request));
        else
            CHECK_MPI(MPI_Isend(buffer.data(), count, MPI_BYTE, dest, message.tag, comm, &request));
    }

    void probe(planned_receive &receive) {
        MPI_Message message = MPI_MESSAGE_NULL;
        CHECK_MPI(MPI_Mprobe(receive.source, receive.tag, comm_of(receive), &message, &receive.status));
        int bytes = 0;
        CHECK_MPI(MPI_Get_count(&receive.status, MPI_BYTE, &bytes));
        receive.buffer = pool_.take();
        CHECK_MPI(MPI_Mrecv(receive.buffer.data(), bytes, MPI_BYTE, &message, &receive.status));
    }

    void complete(std::vector<MPI_Request> &posted, const std::vector<std::size_t> &index_of) {
        const int count = static_cast<int>(posted.size());
        if (random_.below(3) == 0) {
            std::vector<MPI_Status> statuses(posted.size());
            CHECK_MPI(MPI_Waitall(count, posted.data(), statuses.data()));
            for (std::size_t i = 0; i < posted.size(); ++i)
                receives_[index_of[i]].status = statuses[i];
            return;
        }
        std::vector<int> indices(posted.size());
        std::vector<MPI_Status> statuses(posted.size());
        for (int done = 0; done < count;) {
            int some = 0;
            CHECK_MPI(MPI_Waitsome(count, posted.data(), &some, indices.data(), statuses.data()));
            for (std::size_t i = 0; i < static_cast<std::size_t>(some); ++i)
                receives_[index_of[static_cast<std::size_t>(indices[i])]].status = statuses[i];
            done += some;
        }
    }

    void check_received(planned_receive &receive) {
        const int source = local_rank(receive.status.MPI_SOURCE, receive.comm);
        const int tag = receive.status.MPI_TAG;
        int bytes = -1;
        CHECK_MPI(MPI_Get_count(&receive.status, MPI_BYTE, &bytes));
        const std::string what = "message from rank " + std::to_string(source) + ", tag " +
                                 std::to_string(tag) + ", communicator " + std::to_string(receive.comm) +
                                 ", " + std::to_string(bytes) + " bytes";
        const auto messages = expected_.find({source, tag, receive.comm});
        if (messages == expected_.end() || messages->second.empty())
            check::fail(__FILE__, __LINE__, what + ": nobody sent it");
        const planned_message &message = messages->second.front();
        if (message.bytes != static_cast<std::size_t>(bytes))
            check::fail(__FILE__, __LINE__,
                        what + ": the next of its stream has " + std::to_string(message.bytes) + " bytes");
        if (!is_random(receive.buffer.data(), message.bytes, message.seed))
            check::fail(__FILE__, __LINE__, what + ": wrong contents");
        for (std::size_t i = 0; i < guard_bytes; ++i)
            if (receive.buffer.data()[message.bytes + i] != guard)
                check::fail(__FILE__, __LINE__, what + ": written behind the message");
        pool_.give_back(std::move(receive.buffer), message.bytes);
        messages->second.pop_front();
    }

    const check::job &job_;
    const std::array<MPI_Comm, comm_count> &comms_;
    buffer_pool &pool_;
    random_numbers random_;
    std::map<stream, std::deque<planned_message>> expected_;
    std::vector<planned_message> outgoing_;
    std::vector<planned_receive> receives_;
    std::size_t incoming_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int total = argc > 1 ? std::atoi(argv[1]) : 8'000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::array<MPI_Comm, comm_count> comms{MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL};
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, job.size - job.rank, &comms[2]));

    random_numbers random(seed);
    buffer_pool pool;
    int batches = 0;
    for (int done = 0; done < total; ++batches) {
        const int count = 1 + random.below(120);
        batch(job, comms, pool, seed, batches, count).run();
        // A wildcard of this batch must not take a message of the next.
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        done += count * job.size;
    }
    CHECK_MPI(MPI_Comm_free(&comms[1]));
    CHECK_MPI(MPI_Comm_free(&comms[2]));
}
