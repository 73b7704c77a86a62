// SPDX-License-Identifier: Apache-2.0
// lisle-calibrate FILE: what messages cost on the machine that the job runs on, as parameters of LogGP for a
// modelled one (lislerun --mesh FILE). Rank 0 and one partner measure, first one on another node if there is
// any, then one on the same; all others wait.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <mpi.h>

namespace {

constexpr int tag = 1;

double now() {
    return 1e9 * MPI_Wtime();
}

/// The middle one of so many measurements, in nanoseconds. All partners measure as often.
double median_of(int times, const std::function<double()> &measure) {
    std::vector<double> seen;
    seen.reserve(static_cast<std::size_t>(times));
    for (int i = 0; i < times; ++i) {
        seen.push_back(measure());
    }
    std::nth_element(seen.begin(), seen.begin() + times / 2, seen.end());
    return seen[static_cast<std::size_t>(times / 2)];
}

/// Between rank 0 and one other: both call the same functions in the same order.
class pair {
  public:
    pair(int partner, bool first) : other_{first ? partner : 0}, first_{first}, data_(most_bytes) {}

    /// One way of a message, half of a round trip.
    double one_way(int bytes) {
        const int rounds = std::clamp(20'000'000 / (bytes + 20'000), 4, 1000);
        return median_of(15, [&] {
            const double begun = now();
            for (int i = 0; i < rounds; ++i) {
                first_ ? send(bytes) : receive(bytes);
                first_ ? receive(bytes) : send(bytes);
            }
            return (now() - begun) / (2 * rounds);
        });
    }
    /// What a short send takes of its caller's time: the receiver has room for all of them.
    double sending() {
        return median_of(101, [&] {
            meet();
            const double begun = now();
            for (int i = 0; i < few; ++i) {
                first_ ? send(8) : receive(8);
            }
            return (now() - begun) / few;
        });
    }
    /// What a receive takes of a message that is there: the receiver has slept meanwhile.
    double receiving() {
        return median_of(101, [&] {
            meet();
            if (!first_) {
                for (int i = 0; i < few; ++i) {
                    send(8);
                }
                return 0.;
            }
            std::this_thread::sleep_for(std::chrono::microseconds{300});
            const double begun = now();
            for (int i = 0; i < few; ++i) {
                receive(8);
            }
            return (now() - begun) / few;
        });
    }
    /// Between two of many messages in a row.
    double gap() {
        constexpr int many = 2000;
        return median_of(11, [&] {
            meet();
            const double begun = now();
            for (int i = 0; i < many; ++i) {
                first_ ? send(8) : receive(8);
            }
            meet();
            return (now() - begun) / many;
        });
    }
    /// Both send so much at once, and receive it.
    double exchange(int bytes) {
        std::vector<char> into(static_cast<std::size_t>(bytes));
        return median_of(31, [&] {
            meet();
            const double begun = now();
            MPI_Sendrecv(data_.data(), bytes, MPI_BYTE, other_, tag, into.data(), bytes, MPI_BYTE, other_,
                         tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return now() - begun;
        });
    }
    /// The longest send, of powers of two, that does not wait for its receive.
    int longest_eager() {
        int longest = 0;
        for (int bytes = 64; bytes <= most_bytes; bytes *= 2) {
            meet();
            const double begun = now();
            if (first_) {
                send(bytes);
            } else {
                std::this_thread::sleep_for(std::chrono::milliseconds{20});
                receive(bytes);
            }
            int eager = now() - begun < 10e6 ? 1 : 0;
            MPI_Bcast(&eager, 1, MPI_INT, 0, both());
            if (eager == 0) {
                break;
            }
            longest = bytes;
        }
        return longest;
    }

  private:
    static constexpr int most_bytes = 4 << 20;
    static constexpr int few = 16;

    void send(int bytes) { MPI_Send(data_.data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD); }
    void receive(int bytes) {
        MPI_Recv(data_.data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    void meet() {
        first_ ? send(0) : receive(0);
        first_ ? receive(0) : send(0);
    }
    /// A word of rank 0 for its partner alone.
    [[nodiscard]] MPI_Comm both() {
        if (both_ == MPI_COMM_NULL) {
            MPI_Group all = MPI_GROUP_NULL, two = MPI_GROUP_NULL;
            MPI_Comm_group(MPI_COMM_WORLD, &all);
            int self = 0;
            MPI_Comm_rank(MPI_COMM_WORLD, &self);
            const int members[2] = {0, first_ ? other_ : self};
            MPI_Group_incl(all, 2, members, &two);
            MPI_Comm_create_group(MPI_COMM_WORLD, two, tag, &both_);
            MPI_Group_free(&two);
            MPI_Group_free(&all);
        }
        return both_;
    }

    int other_;
    bool first_;
    std::vector<char> data_;
    MPI_Comm both_ = MPI_COMM_NULL;
};

/// A message of k bytes takes send + k * byte + wire + receive nanoseconds.
struct costs {
    double send = 0, receive = 0, wire = 0, gap = 0, byte = 0;
    int eager = 0;
    bool duplex = true; ///< what goes there does not make slower what comes
};

costs measure(int partner, bool first) {
    pair two{partner, first};
    two.one_way(8); // connections are there, memory has been touched
    costs found;
    found.send = two.sending();
    found.receive = two.receiving();
    found.gap = two.gap();
    const double shortest = two.one_way(8), longer = two.one_way(64 << 10), longest = two.one_way(1 << 20);
    found.wire = std::max(0., shortest - found.send - found.receive);
    found.byte = std::max(1e-3, (longest - longer) / ((1 << 20) - (64 << 10)));
    const double longer_both = two.exchange(64 << 10), longest_both = two.exchange(1 << 20);
    constexpr double least_shared =
        1.5; // between an exchange that takes as long as one way, and twice as long
    found.duplex = longest_both - longer_both < least_shared * (longest - longer);
    found.eager = two.longest_eager();
    return found;
}

/// Words and cycles whose quotient is nearest to this, as both are at most 1,000.
std::pair<int, int> width_and_period(double words_a_cycle) {
    std::pair<int, int> best{1, 1};
    double least = HUGE_VAL;
    for (int period = 1; period <= 1000; ++period) {
        const int width = std::clamp(static_cast<int>(std::lround(words_a_cycle * period)), 1, 1000);
        const double off = std::fabs(std::log(width / (words_a_cycle * period)));
        if (off < least - 1e-4) { // the smallest that are as good
            least = off;
            best = {width, period};
        }
    }
    return best;
}

/// What the nodes of the job are, as rank 0 has to know.
struct shape {
    int ranks = 0, hosts = 0, ranks_of_host = 0;
    int near = -1, far = -1; ///< ranks besides 0 on its node and on another one; -1: there is none
};

shape look_around() {
    shape found;
    int self = 0, in_node = 0, first_of_node = 0;
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    MPI_Comm_size(MPI_COMM_WORLD, &found.ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &in_node);
    first_of_node = self;
    MPI_Bcast(&first_of_node, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> firsts(static_cast<std::size_t>(found.ranks));
    MPI_Allgather(&first_of_node, 1, MPI_INT, firsts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(&in_node, &found.ranks_of_host, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int rank = 0; rank < found.ranks; ++rank) {
        const int first = firsts[static_cast<std::size_t>(rank)];
        found.hosts += first == rank ? 1 : 0;
        if (rank != 0) {
            int &place = first == firsts.front() ? found.near : found.far;
            place = place < 0 ? rank : place;
        }
    }
    return found;
}

int rounded(double nanoseconds) {
    return static_cast<int>(std::lround(nanoseconds));
}

bool write(const char *file, const shape &seen, const costs &network, const costs &memory) {
    std::FILE *const to = std::fopen(file, "w");
    if (to == nullptr) {
        return false;
    }
    const auto [width, period] = width_and_period(1 / (4 * network.byte));
    std::fprintf(to,
                 "# measured by lislerun --calibrate with %d ranks on %d hosts; a cycle is a nanosecond\n"
                 "# lislerun --fabric tile:%dx1 -n %d --mesh %s ./program\n"
                 "grain = flow\nclock_mhz = 1000\nwidth = %d\nheight = 1\n",
                 seen.ranks, seen.hosts, seen.hosts, seen.ranks, file, seen.hosts);
    if (seen.hosts > 1) { // one switch
        std::fprintf(to, "topology = fat_tree\ntree_arity = %d\n", seen.hosts);
    }
    std::fprintf(to, "host_ranks = %d\nsend_cycles = %d\nreceive_cycles = %d\ngap_cycles = %d\n",
                 seen.ranks_of_host, rounded(network.send), rounded(network.receive), rounded(network.gap));
    std::fprintf(to, "host_duplex = %s\n", network.duplex ? "on" : "off");
    std::fprintf(to, "wire_cycles = %d\nlink_width = %d\nlink_period = %d\neager_bytes = %d\n",
                 rounded(network.wire), width, period, network.eager);
    std::fprintf(
        to, "memory_cycles = %d\nmemory_bytes = %d\nmemory_period = 1000\n",
        rounded(std::max(0., memory.send + memory.receive + memory.wire - network.send - network.receive)),
        std::max(1, rounded(1000 / memory.byte)));
    return std::fclose(to) == 0;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int self = 0, status = EXIT_SUCCESS;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    const shape seen = look_around();
    if (argc != 2 || seen.ranks < 2) {
        if (self == 0) {
            std::fprintf(stderr, "lisle-calibrate: %s\n",
                         argc != 2 ? "usage: lislerun --calibrate FILE"
                                   : "a machine is measured by at least two ranks: -n 2");
        }
        MPI_Finalize();
        return EXIT_FAILURE;
    }
    costs of_place[2]; // network, memory
    for (const int which : {0, 1}) {
        const int partner = which == 0 ? seen.far : seen.near;
        if (partner > 0 && (self == 0 || self == partner)) {
            of_place[which] = measure(partner, self == 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (self == 0) {
        // What cannot be measured is taken to be as the other.
        const costs &network = of_place[seen.far > 0 ? 0 : 1], &memory = of_place[seen.near > 0 ? 1 : 0];
        if (!write(argv[1], seen, network, memory)) {
            std::perror(argv[1]);
            status = EXIT_FAILURE;
        } else {
            std::printf("%s: messages of 8 bytes %.0f ns%s, %.2f GB/s; on a node %.0f ns, %.2f GB/s\n",
                        argv[1], network.send + network.wire + network.receive,
                        seen.far > 0 ? "" : " (there is one node)", 1 / network.byte,
                        memory.send + memory.wire + memory.receive, 1 / memory.byte);
        }
    }
    MPI_Finalize();
    return status;
}
