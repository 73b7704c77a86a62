// SPDX-License-Identifier: Apache-2.0
// Messages between two ranks through the C++ interface: every sort of object, known and unknown sizes,
// probes, futures, persistent operations, errors. Each rank sends to the next one and receives from the
// previous one, itself if it is alone.
#include <lisle/lisle.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "check.hpp"

namespace {

enum class colour : short { red, green };

struct plain {
    double x, y, z;
    friend bool operator==(const plain &, const plain &) = default;
};
struct padded {
    char letter;
    double number;
    std::array<short, 3> list;
    colour paint;
    bool flag;
    friend bool operator==(const padded &, const padded &) = default;
};
struct nested {
    int id;
    padded inner[2];
    std::pair<float, long> two;
    friend bool operator==(const nested &, const nested &) = default;
};
class hidden {
  public:
    hidden() = default;
    hidden(int a, double b) : a_{a}, b_{b} {}
    friend bool operator==(const hidden &, const hidden &) = default;

  private:
    int a_ = 0;
    double b_ = 0;

  public:
    using lisle_fields = lisle::members<&hidden::a_, &hidden::b_>;
};

static_assert(lisle::detail::wire<plain>::uniform_type && lisle::detail::wire<plain>::count == 3);
static_assert(!lisle::detail::wire<padded>::uniform_type);
static_assert(lisle::direct<nested> && lisle::direct<hidden> && lisle::direct<std::tuple<int, double>>);
static_assert(!lisle::direct<std::string> && !lisle::direct<int *> && !lisle::direct<std::vector<int>>);
static_assert(lisle::direct_range<std::string> && lisle::resizable_range<std::vector<padded>>);

struct ring {
    lisle::communicator comm = lisle::world();
    int next = (comm.rank() + 1) % comm.size();
    int previous = (comm.rank() + comm.size() - 1) % comm.size();
};

template <class T> void goes_round(const ring &r, const T &object) {
    lisle::future<> sending = r.comm.isend(lisle::borrow(object), r.next);
    const T got = r.comm.receive<T>(r.previous);
    sending.wait();
    CHECK(got == object);
    // Without waiting: the receive first.
    lisle::future<T> receiving = r.comm.ireceive<T>(r.previous, 3);
    r.comm.send(object, r.next, 3);
    CHECK(receiving.wait() == object);
    CHECK(r.comm.sendrecv(object, {.dest = r.next, .source = r.previous}) == object);
}

void objects(const ring &r) {
    goes_round(r, 42);
    goes_round(r, 2.5L);
    goes_round(r, true);
    goes_round(r, 'x');
    goes_round(r, colour::green);
    goes_round(r, std::byte{7});
    goes_round(r, std::complex<double>{1, -1});
    goes_round(r, std::array<int, 3>{1, 2, 3});
    goes_round(r, std::pair<int, double>{1, 2});
    goes_round(r, std::tuple<char, double, short>{'a', 2, 3});
    goes_round(r, plain{1, 2, 3});
    const padded p{'p', 2.5, {1, 2, 3}, colour::green, true};
    goes_round(r, p);
    goes_round(r, nested{7, {p, p}, {1.5f, -3}});
    goes_round(r, hidden{3, 4.5});
    for (const std::size_t size : {0, 1, 7, 1000, 300'000}) {
        std::vector<int> numbers(size);
        std::iota(numbers.begin(), numbers.end(), 5);
        goes_round(r, numbers);
        goes_round(r, std::string(size, 'y'));
        goes_round(r, std::vector<plain>(size, plain{1, 2, 3}));
        goes_round(r, std::vector<padded>(size, p));
    }
}

/// Padding does not travel: what lies there in the receiver's object stays.
void padding(const ring &r) {
    static_assert(sizeof(padded) > 1 + 8 + 6 + 2 + 1);
    alignas(padded) std::array<unsigned char, sizeof(padded)> bytes;
    bytes.fill(0xee);
    auto &there = reinterpret_cast<padded &>(bytes);
    lisle::future<lisle::status> receiving = r.comm.ireceive_into(lisle::borrow(there), r.previous);
    r.comm.send(padded{'a', 1, {1, 2, 3}, colour::red, false}, r.next);
    CHECK_EQ(receiving.wait().count<padded>(), 1u);
    CHECK_EQ(there.letter, 'a');
    CHECK_EQ(int{bytes[1]}, 0xee);
}

void views(const ring &r) {
    double plate[5][7];
    double column[5] = {};
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 7; ++j)
            plate[i][j] = i * 10 + j;
    const lisle::strided<double, 1> third{&plate[0][3], {5}, {7}};
    auto receiving = r.comm.ireceive_into(lisle::borrow(column), r.previous);
    r.comm.send(third, r.next);
    receiving.wait();
    for (int i = 0; i < 5; ++i)
        CHECK_EQ(column[i], i * 10 + 3);
    // A block of two dimensions, into another one.
    double copy[5][7] = {};
    lisle::strided<double, 2> to{&copy[1][1], {2, 3}, {7, 1}};
    const lisle::strided<double, 2> from{&plate[2][2], {2, 3}, {7, 1}};
    auto block = r.comm.ireceive_into(lisle::borrow(to), r.previous);
    r.comm.send(from, r.next);
    block.wait();
    CHECK_EQ(copy[1][1], 22);
    CHECK_EQ(copy[2][3], 34);
    CHECK_EQ(copy[0][0], 0);
    // Text without the zero.
    auto text = r.comm.ireceive<std::string>(r.previous);
    r.comm.send("hello", r.next);
    CHECK_EQ(text.wait(), "hello");
}

void statuses(const ring &r) {
    auto sending = r.comm.isend(std::vector<double>{1, 2, 3}, r.next, 9);
    const lisle::status found = r.comm.probe(lisle::any_source, 9);
    CHECK_EQ(found.source(), r.previous);
    CHECK_EQ(found.tag(), 9);
    CHECK_EQ(found.count<double>(), 3u);
    CHECK_EQ(found.count<plain>(), 1u);
    CHECK_EQ(found.bytes(), 24);
    CHECK(r.comm.iprobe(r.previous, 9).has_value());
    auto [values, status] = r.comm.receive_with_status<std::vector<plain>>(lisle::any_source);
    CHECK_EQ(values.size(), 1u);
    CHECK_EQ(status.source(), r.previous);
    CHECK_EQ(sending.wait().size(), 3u); // the container comes back

    auto again = r.comm.isend(std::vector<int>(1000, 7), r.next, 8);
    lisle::message message = r.comm.mprobe(r.previous, 8);
    CHECK(!r.comm.iprobe(r.previous, 8).has_value());
    CHECK_EQ(message.status().count<int>(), 1000u);
    CHECK_EQ(message.receive<std::vector<int>>().back(), 7);
    static_cast<void>(again.wait());
    CHECK(!r.comm.improbe(r.previous, 77).has_value());
    r.comm.send(1, lisle::no_rank);
    CHECK_EQ(r.comm.receive<int>(lisle::no_rank), 0);
}

void futures(const ring &r) {
    auto a = r.comm.ireceive<int>(r.previous, 1);
    auto b = r.comm.ireceive<std::vector<int>>(r.previous, 2);
    auto c = r.comm.ireceive<std::string>(r.previous, 3);
    CHECK(!a.ready());
    CHECK(!lisle::test_any(a, b, c).has_value());
    r.comm.barrier(); // nobody sends before all have looked
    r.comm.send(std::vector<int>{1, 2, 3}, r.next, 2);
    const auto first = lisle::wait_any(a, b, c);
    CHECK(first.has_value());
    CHECK_EQ(*first, 1u);
    CHECK(!lisle::test_any(a, c).has_value());
    r.comm.barrier(); // nobody sends the others before all have looked
    CHECK_EQ(b.wait().size(), 3u);
    r.comm.send(5, r.next, 1);
    r.comm.send("third", r.next, 3);
    lisle::wait_all(a, b, c);
    CHECK(lisle::test_all(a, b, c));
    CHECK_EQ(a.wait(), 5);
    CHECK_EQ(c.wait(), "third");
    CHECK(!lisle::wait_any(a, b, c).has_value());

    lisle::request_pool pool;
    std::vector<int> out(100, 3);
    std::vector<int> in(100);
    pool.add(r.comm.isend(lisle::borrow(out), r.next));
    pool.add(r.comm.ireceive_into(lisle::borrow(in), r.previous));
    std::size_t completed = 0;
    while (completed < 2)
        completed += pool.wait_some().size();
    CHECK(pool.test_all());
    CHECK(in == out);

    auto never = r.comm.ireceive<std::vector<int>>(r.previous, 999);
    never.cancel();
    never.wait_complete();
    CHECK(never.status().cancelled());
    { // What is dropped is completed first.
        auto received = r.comm.ireceive<std::vector<int>>(r.previous, 4);
        std::vector<int> kept(50'000, 4);
        auto sent = r.comm.isend(std::move(kept), r.next, 4);
    }
    CHECK(!r.comm.iprobe(r.previous, 4).has_value());
}

void persistents(const ring &r) {
    int out = 0;
    int in = -1;
    lisle::persistent sending = r.comm.send_init(lisle::borrow(out), r.next);
    lisle::persistent receiving = r.comm.receive_init(lisle::borrow(in), r.previous);
    for (int round = 0; round < 10; ++round) {
        out = round;
        lisle::start_all(receiving, sending);
        sending.wait();
        CHECK_EQ(receiving.wait().count<int>(), 1u);
        CHECK_EQ(in, round);
    }
}

void errors(const ring &r) {
    try {
        r.comm.send(1, r.comm.size() + 3, 5);
        CHECK(false);
    } catch (const lisle::error &e) {
        CHECK_EQ(e.error_class(), MPI_ERR_RANK);
        CHECK_EQ(std::string{e.call()}, "MPI_Send");
        CHECK_EQ(e.values()[1].value, r.comm.size() + 3);
        CHECK(std::string{e.what()}.find("dest " + std::to_string(r.comm.size() + 3)) != std::string::npos);
    }
    auto wrong = lisle::attempt([&] { return r.comm.receive<int>(r.comm.size()); });
    CHECK(!wrong.has_value());
    CHECK_EQ(wrong.error().error_class(), MPI_ERR_RANK);
    CHECK_EQ(wrong.value_or(8), 8);
    // Too short a buffer, and the communicator goes on.
    auto sending = r.comm.isend(std::vector<int>(10), r.next);
    std::array<int, 3> small{};
    auto truncated = lisle::attempt([&] { return r.comm.receive_into(small, r.previous); });
    CHECK(!truncated.has_value());
    CHECK_EQ(truncated.error().error_class(), MPI_ERR_TRUNCATE);
    static_cast<void>(sending.wait());
    CHECK_EQ(r.comm.sendrecv(3, {.dest = r.next, .source = r.previous}), 3);
}

/// The raw handle, both ways, and moved messages.
void interplay(const ring &r) {
    const lisle::communicator adopted{MPI_COMM_WORLD};
    CHECK(adopted == r.comm && adopted.native() == MPI_COMM_WORLD);
    std::vector<int> numbers{1, 2, 3};
    MPI_Request raw = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Isend(numbers.data(), 3, MPI_INT, r.next, 0, MPI_COMM_WORLD, &raw));
    lisle::request mine{raw};
    CHECK(r.comm.receive<std::vector<int>>(r.previous) == numbers);
    mine.wait_complete();
    auto sub = r.comm.split(0);
    CHECK_EQ(sub.size(), r.comm.size());
    MPI_Comm handle = sub.release();
    CHECK(!sub);
    const lisle::owned<lisle::communicator> back{handle};
    CHECK_EQ(back.rank(), r.comm.rank());
}

} // namespace

int main() {
    const lisle::environment mpi;
    const ring r;
    objects(r);
    padding(r);
    views(r);
    statuses(r);
    futures(r);
    persistents(r);
    errors(r);
    interplay(r);
}
