// SPDX-License-Identifier: Apache-2.0
// What transports promise, whatever they are made of: parcels of each sender in order, large objects with
// their contents however many are under way, sends that do not wait, neighbours of a torus; all of it with
// no more tags than the standard promises. See job.hpp for the arguments; the fifth: how many parcels each
// sender sends, the sixth: the largest object, the seventh: the thread level.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>

#include <sys/resource.h>
#include <unistd.h>

#include "job.hpp"
#include "lisle/task/stencil.hpp"

namespace {

using namespace test;

std::optional<job> here; ///< since main()

int tag_bound = 32767; ///< the smallest that the standard allows; Lisle's own is far above
std::atomic<int> largest_tag{0};

void note_tag(int tag) {
    for (int before = largest_tag; tag > before && !largest_tag.compare_exchange_weak(before, tag);) {
    }
}

/// The places from which the last large message was sent and to which one is received.
std::atomic<const void *> sent_from{nullptr}, received_in{nullptr};
constexpr MPI_Count large = 1 << 20;

void nothing(int from, std::span<const std::byte>) {
    here->expect(false, "rank " + std::to_string(from) + " sends a parcel that nobody awaits");
}

/// Waits until what was sent has left, then for the others.
void leave(tasks::transport &between) {
    while (!between.has_sent_all()) {
        between.poll(nothing);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// A parcel of some bytes: its number, and the number's last byte in all places after it. One in a thousand
/// is longer than what a transport sends in one message.
std::vector<std::byte> numbered(std::uint64_t number) {
    const std::size_t longer = number % 1000 == 500 ? 70000 : number % 61;
    std::vector<std::byte> parcel(sizeof number + longer, static_cast<std::byte>(number));
    std::memcpy(parcel.data(), &number, sizeof number);
    return parcel;
}

/// Waits for a parcel that has one number.
int awaited_number(tasks::transport &between) {
    int number = -1;
    while (number < 0) {
        between.wait([&number](int, std::span<const std::byte> parcel) {
            std::memcpy(&number, parcel.data(), sizeof number);
        });
    }
    return number;
}
void send_number(tasks::transport &between, int to, int number) {
    std::vector<std::byte> parcel(sizeof number);
    std::memcpy(parcel.data(), &number, sizeof number);
    between.send(to, std::move(parcel));
}

// All ranks send to rank 0, which also sends to all: 10^5 parcels of each in order.
void test_order(std::uint64_t parcels) {
    const auto between = here->connect();
    std::vector<std::uint64_t> next(static_cast<std::size_t>(here->ranks));
    std::uint64_t wrong = 0;
    const auto receive = [&](int from, std::span<const std::byte> parcel) {
        const auto wanted = numbered(next[static_cast<std::size_t>(from)]++);
        wrong += std::ranges::equal(parcel, wanted) ? 0U : 1U;
    };
    std::vector<int> to;
    for (int other = 0; other < here->ranks; ++other) {
        if (other != here->rank && (here->rank == 0 || other == 0)) {
            to.push_back(other);
        }
    }
    for (std::uint64_t number = 0; number < parcels; ++number) {
        for (const int other : to) {
            between->send(other, numbered(number));
        }
        if (number % 64 == 0) {
            between->poll(receive);
        }
    }
    while (
        std::ranges::any_of(to, [&](int from) { return next[static_cast<std::size_t>(from)] < parcels; })) {
        between->wait(receive);
    }
    leave(*between);
    here->expect(wrong == 0, std::to_string(wrong) + " parcels were out of order or changed");
}

/// Eight bytes that stand at a place of an object.
std::uint64_t word_at(std::size_t object, std::size_t place) {
    return (object + 1) * 0x9E3779B97F4A7C15U + place;
}

std::vector<std::uint64_t> object_of(std::size_t number, std::size_t bytes) {
    std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
    for (std::size_t place = 0; place < words.size(); ++place) {
        words[place] = word_at(number, place);
    }
    return words;
}

// 1,000 objects from the last rank to rank 0, all under way at once: 0 bytes to the largest, most of them
// small.
void test_large_objects(std::size_t largest) {
    const auto between = here->connect();
    if (here->ranks < 2 || (here->rank != 0 && here->rank != here->ranks - 1)) {
        leave(*between);
        return;
    }
    const std::size_t objects = 1000;
    std::mt19937 random{5};
    std::vector<std::size_t> sizes(objects);
    for (std::size_t &size : sizes) { // as many between 8 and 16 bytes as between 512 KiB and 1 MiB
        const double share = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
        size = static_cast<std::size_t>(
                   std::pow(std::min<double>(1 << 20, static_cast<double>(largest)), share)) /
               8 * 8;
    }
    sizes[0] = 0;
    sizes[objects / 2] = largest;
    const auto keep = tasks::make<tasks::text>("");
    if (here->rank == 0) {
        std::vector<std::vector<std::uint64_t>> rooms(objects);
        std::size_t arrived = 0;
        std::vector<std::byte> channels(objects * sizeof(int));
        for (std::size_t i = 0; i < objects; ++i) {
            rooms[i].resize(sizes[i] / 8);
            const int channel = between->expect(here->ranks - 1, std::as_writable_bytes(std::span{rooms[i]}),
                                                [&arrived] { ++arrived; });
            std::memcpy(channels.data() + i * sizeof channel, &channel, sizeof channel);
        }
        between->send(here->ranks - 1, std::move(channels));
        while (arrived < objects) {
            between->wait(nothing);
        }
        for (std::size_t i = 0; i < objects; ++i) {
            here->expect(rooms[i] == object_of(i, sizes[i]),
                         "object " + std::to_string(i) + " has other contents");
        }
        leave(*between);
        return;
    }
    std::vector<std::vector<std::uint64_t>> sent(objects);
    for (std::size_t i = 0; i < objects; ++i) {
        sent[i] = object_of(i, sizes[i]);
    }
    std::vector<int> channels;
    while (channels.empty()) {
        between->wait([&](int, std::span<const std::byte> parcel) {
            channels.resize(parcel.size() / sizeof(int));
            std::memcpy(channels.data(), parcel.data(), parcel.size());
        });
    }
    std::vector<std::size_t> order(objects);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
        between->send_from(0, channels[i], std::as_bytes(std::span{sent[i]}),
                           tasks::ref<tasks::object>{keep.get()});
    }
    leave(*between);
}

// A field on a torus, each point the mean of itself and its eight neighbours, step by step: in blocks as at
// once.
void test_stencil() {
    constexpr int side = 5, steps = 8; // of a block
    int rows = 1;
    while (here->ranks % (rows * 2) == 0 && rows * rows * 2 <= here->ranks) {
        rows *= 2;
    }
    const tasks::grid where{rows, here->ranks / rows};
    const int height = rows * side, width = where.columns() * side;
    using field = std::vector<double>;
    const auto smoothed = [](const field &from, int high, int wide, const auto &at) {
        field to(from.size());
        for (int i = 0; i < high; ++i) {
            for (int j = 0; j < wide; ++j) {
                double sum = 0;
                for (int down = -1; down <= 1; ++down) {
                    for (int right = -1; right <= 1; ++right) {
                        sum += at(from, i + down, j + right);
                    }
                }
                to[static_cast<std::size_t>(i * wide + j)] = sum / 9;
            }
        }
        return to;
    };
    field all(static_cast<std::size_t>(height * width));
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<double>(i * 7919 % 101);
    }
    const int top = here->rank / where.columns() * side, left = here->rank % where.columns() * side;
    const auto block_of = [&](const field &whole) {
        field block;
        for (int i = top; i < top + side; ++i) {
            const auto row = whole.begin() + i * width + left;
            block.insert(block.end(), row, row + side);
        }
        return block;
    };
    const auto between = here->connect();
    tasks::stencil around{*between, where};
    field mine = block_of(all);
    double largest = 0;
    for (int step = 0; step < steps; ++step) {
        tasks::stencil::around<field> edges, halo;
        tasks::stencil::around<std::span<const double>> parts;
        for (std::size_t d = 0; d < edges.size(); ++d) { // the rows and columns on that side
            const auto [down, right] = tasks::grid::offsets[d];
            for (int i = down > 0 ? side - 1 : 0; i < (down < 0 ? 1 : side); ++i) {
                for (int j = right > 0 ? side - 1 : 0; j < (right < 0 ? 1 : side); ++j) {
                    edges[d].push_back(mine[static_cast<std::size_t>(i * side + j)]);
                }
            }
            parts[d] = edges[d];
        }
        halo = around.exchange(parts);
        const auto side_of = [](int i) { return i < 0 ? -1 : i < side ? 0 : 1; };
        mine = smoothed(mine, side, side, [&](const field &inside, int i, int j) {
            const int down = side_of(i), right = side_of(j);
            if (down == 0 && right == 0) {
                return inside[static_cast<std::size_t>(i * side + j)];
            }
            const int d = (down + 1) * 3 + right + 1;
            const int along = down == 0 ? i : right == 0 ? j : 0;
            return halo[static_cast<std::size_t>(d > 4 ? d - 1 : d)].at(static_cast<std::size_t>(along));
        });
        all = smoothed(all, height, width, [&](const field &whole, int i, int j) {
            return whole[static_cast<std::size_t>((i + height) % height * width + (j + width) % width)];
        });
        const field wanted = block_of(all);
        for (std::size_t i = 0; i < mine.size(); ++i) {
            largest = std::max(largest, std::abs(mine[i] - wanted[i]));
        }
    }
    here->expect(largest < 1e-12, "blocks and whole differ by " + std::to_string(largest));
    long wanted = here->rank + 1;
    for (const int other : where.neighbours(here->rank)) {
        wanted = wanted * 10 + other + 1;
    }
    const long got = around.reduce<long>(here->rank + 1, [](long a, long b) { return a * 10 + b; });
    here->expect(got == wanted,
                 "neighbours' numbers are " + std::to_string(got) + ", not " + std::to_string(wanted));
    MPI_Barrier(MPI_COMM_WORLD);
}

// While a large object is under way over one bridge, parcels go over the others. Tried again where it had
// left too early.
void test_least_busy() {
    const auto between = here->connect();
    const int last = here->ranks - 1;
    if (here->bridges.receivers < 2 || here->bridges.choice != tasks::bridge_choice::least_busy ||
        here->bridges.sending != tasks::sending_mode::pool || last == 0) {
        return leave(*between);
    }
    constexpr int tries = 10, parcels = 20;
    constexpr std::size_t size = 64 << 20;
    std::vector<std::byte> object(here->rank == 0 || here->rank == last ? size : 0);
    if (here->rank == 0) {
        for (int i = 0; i < tries; ++i) {
            bool is_here = false;
            const int channel = between->expect(last, object, [&is_here] { is_here = true; });
            send_number(*between, last, channel);
            for (int got = 0; got < parcels || !is_here;) {
                between->wait([&got](int, std::span<const std::byte>) { ++got; });
            }
        }
    } else if (here->rank == last) {
        const auto keep = tasks::make<tasks::text>("");
        int avoided = 0;
        for (int i = 0; i < tries; ++i) {
            const int channel = awaited_number(*between);
            const auto before = tasks::messages_over_bridges(*between);
            between->send_from(0, channel, object, tasks::ref<tasks::object>{keep.get()});
            const auto busy = tasks::messages_over_bridges(*between);
            for (int parcel = 0; parcel < parcels; ++parcel) {
                between->send(0, std::vector<std::byte>(8));
            }
            const auto after = tasks::messages_over_bridges(*between);
            const bool has_object = !between->has_sent_all();
            std::uint64_t beside = 0;
            for (std::size_t each = 0; each < after.size(); ++each) {
                beside += busy[each] != before[each] ? after[each] - busy[each] : 0;
            }
            avoided += has_object && beside == 0 ? 1 : 0;
        }
        here->expect(avoided > 0, "parcels always go over the bridge that sends a large object");
    }
    leave(*between);
}

// A large object goes from its owner's memory into its room, and lies nowhere in between.
void test_no_copies() {
    const auto between = here->connect();
    const int last = here->ranks - 1;
    if (last > 0 && here->rank == 0) {
        std::vector<std::byte> room(4 * large);
        bool is_here = false;
        send_number(*between, last, between->expect(last, room, [&is_here] { is_here = true; }));
        while (!is_here) {
            between->wait(nothing);
        }
        here->expect(received_in == room.data(), "a large object is received elsewhere than in its room");
    } else if (last > 0 && here->rank == last) {
        const std::vector<std::byte> object(4 * large);
        const int channel = awaited_number(*between);
        between->send_from(0, channel, object, tasks::ref<tasks::object>{tasks::make<tasks::text>("").get()});
        while (!between->has_sent_all()) {
            between->poll(nothing);
        }
        here->expect(sent_from == object.data(), "a large object is sent from elsewhere than where it lies");
    }
    leave(*between);
}

// What is sent while the receiver is busy elsewhere: the calls return although nothing can arrive.
void test_sends_return() {
    const auto between = here->connect();
    const int last = here->ranks - 1, parcels = 60;
    if (last == 0 || (here->has_bridges && here->bridges.sending == tasks::sending_mode::blocking)) {
        return leave(*between);
    }
    int nothing_more = 0;
    if (here->rank == last) {
        for (int i = 0; i < parcels; ++i) {
            between->send(0, std::vector<std::byte>(i % 10 == 9 ? 300000 : 60000));
        }
        MPI_Send(&nothing_more, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else if (here->rank == 0) {
        MPI_Recv(&nothing_more, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int got = 0; got < parcels;) {
            between->wait([&got](int, std::span<const std::byte>) { ++got; });
        }
    }
    leave(*between);
}

// How parcels from one rank to another are spread over bridges.
void test_choices() {
    const auto between = here->connect();
    const int last = here->ranks - 1, parcels = 30 * std::max(here->bridges.receivers, 1);
    if (here->has_bridges && last > 0 && here->rank == last) {
        const auto before = tasks::messages_over_bridges(*between);
        for (int i = 0; i < parcels; ++i) {
            between->send(0, std::vector<std::byte>(8));
        }
        auto over = tasks::messages_over_bridges(*between);
        for (std::size_t i = 0; i < over.size(); ++i) {
            over[i] -= before[i];
        }
        const auto [least, most] = std::ranges::minmax(over);
        here->expect(std::accumulate(over.begin(), over.end(), std::uint64_t{0}) ==
                         static_cast<std::uint64_t>(parcels),
                     "parcels have gone over no bridge");
        if (here->bridges.choice == tasks::bridge_choice::round_robin) {
            here->expect(most == least, "round robin: bridges had " + std::to_string(least) + " to " +
                                            std::to_string(most) + " parcels");
        } else if (here->bridges.choice == tasks::bridge_choice::by_pair) {
            here->expect(most == static_cast<std::uint64_t>(parcels),
                         "by pair: more than one bridge was used");
        }
    } else if (here->has_bridges && last > 0 && here->rank == 0) {
        for (int got = 0; got < parcels;) {
            between->wait([&got](int, std::span<const std::byte>) { ++got; });
        }
    }
    leave(*between);
}

// Ranks that wait for a parcel, with all their bridges, leave the processor to others. Processor time, which
// other programs do not add to.
void test_idle() {
    const auto between = here->connect();
    constexpr int idle = 400; // milliseconds
    const auto used = [] {
        rusage now{};
        getrusage(RUSAGE_SELF, &now);
        return static_cast<double>(now.ru_utime.tv_sec + now.ru_stime.tv_sec) +
               1e-6 * static_cast<double>(now.ru_utime.tv_usec + now.ru_stime.tv_usec);
    };
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = used();
    if (here->rank == 0) {
        usleep(idle * 1000);
        for (int other = 1; other < here->ranks; ++other) {
            send_number(*between, other, 1);
        }
    } else {
        awaited_number(*between);
        const double share = (used() - before) / (1e-3 * idle);
        here->expect(share < 0.5, "an idle process with " + std::to_string(here->bridges.receivers) +
                                      " bridges uses " + std::to_string(share) + " of a processor");
    }
    leave(*between);
}

// Bridges are threads that call MPI.
void test_bridges_say_what_they_need() {
    int granted = 0;
    MPI_Query_thread(&granted);
    if (granted == MPI_THREAD_MULTIPLE) {
        return;
    }
    try {
        tasks::make_bridges(MPI_COMM_WORLD, {});
        here->expect(false, "bridges without MPI_THREAD_MULTIPLE");
    } catch (const std::runtime_error &error) {
        here->expect(std::string{error.what()}.find("MPI_THREAD_MULTIPLE") != std::string::npos,
                     error.what());
    }
}

} // namespace

// These stand in front of the library's own.
extern "C" {
int MPI_Comm_get_attr(MPI_Comm comm, int key, void *attribute, int *is_set) {
    const int code = PMPI_Comm_get_attr(comm, key, attribute, is_set);
    if (key == MPI_TAG_UB && *is_set != 0) {
        *static_cast<int **>(attribute) = &tag_bound;
    }
    return code;
}
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    note_tag(tag);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Isend_c(const void *data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request *request) {
    note_tag(tag);
    if (count >= large) {
        sent_from = data;
    }
    return PMPI_Isend_c(data, count, type, to, tag, comm, request);
}
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    note_tag(tag);
    return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Mrecv_c(void *data, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    if (count >= large) {
        received_in = data;
    }
    return PMPI_Mrecv_c(data, count, type, message, status);
}
int MPI_Irecv_c(void *data, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request *request) {
    if (count >= large) {
        received_in = data;
    }
    return PMPI_Irecv_c(data, count, type, from, tag, comm, request);
}
int MPI_Send_c(const void *data, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    note_tag(tag);
    if (count >= large) {
        sent_from = data;
    }
    return PMPI_Send_c(data, count, type, to, tag, comm);
}
}

int main(int argc, char **argv) {
    here.emplace(argc, argv, level_of(argc > 7 ? argv[7] : "multiple"));
    return here->run([&] {
        test_order(argc > 5 ? std::stoull(argv[5]) : 5000);
        test_large_objects(argc > 6 ? std::stoull(argv[6]) : 1 << 20);
        test_stencil();
        test_least_busy();
        test_no_copies();
        test_sends_return();
        test_choices();
        test_idle();
        test_bridges_say_what_they_need();
        here->expect(largest_tag <= tag_bound, "a message has tag " + std::to_string(largest_tag));
        here->expect(here->rank == 0 || here->rank != here->ranks - 1 || largest_tag >= 1000,
                     "objects have had no tags of their own");
    });
}
