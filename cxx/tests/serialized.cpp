// SPDX-License-Identifier: Apache-2.0
// Objects that travel as bytes: containers of strings, maps, variants, pointers to polymorphic objects,
// aggregates with such fields, classes with a serialize(); in messages and in collectives.
#include <lisle/handover.hpp>
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <lisle/sparse_exchange.hpp>

#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "check.hpp"

namespace {

struct person {
    std::string name;
    int age = 0;
    std::vector<std::string> tags;
    friend bool operator==(const person &, const person &) = default;
};

struct point {
    double x, y;
    friend bool operator==(const point &, const point &) = default;
};

class account {
  public:
    account() = default;
    explicit account(std::map<std::string, double> values) : values_{std::move(values)} {}
    template <class Archive> void serialize(Archive &archive) { archive(values_); }
    friend bool operator==(const account &, const account &) = default;

  private:
    std::map<std::string, double> values_;
};

struct shape {
    virtual ~shape() = default;
    [[nodiscard]] virtual double area() const = 0;
    template <class Archive> void serialize(Archive &) {}
};
struct square : shape {
    square() = default;
    explicit square(double s) : side{s} {}
    [[nodiscard]] double area() const override { return side * side; }
    template <class Archive> void serialize(Archive &archive) {
        archive(cereal::base_class<shape>(this), side);
    }
    double side = 0;
};

static_assert(lisle::serialized<person> && lisle::serialized<std::vector<person>> &&
              lisle::serialized<account>);
static_assert(!lisle::serialized<std::string> && lisle::direct_range<std::string>);
static_assert(!lisle::sendable<int *> && !lisle::sendable<std::vector<int *>>);

const lisle::communicator world = lisle::world();
const auto next = [] { return (world.rank() + 1) % world.size(); };
const auto previous = [] { return (world.rank() + world.size() - 1) % world.size(); };

template <class T> void goes_round(const T &object) {
    auto sending = world.isend(lisle::borrow(object), next());
    CHECK(world.receive<T>(previous()) == object);
    sending.wait();
    auto receiving = world.ireceive<T>(previous(), 2);
    world.send(object, next(), 2);
    CHECK(receiving.wait() == object);
    CHECK(world.sendrecv(object, {.dest = next(), .source = previous()}) == object);
    auto third = world.isend(lisle::borrow(object), next(), 3);
    T filled = object; // has memory and contents already
    CHECK_EQ(world.receive_into(filled, previous(), 3).source(), previous());
    CHECK(filled == object);
    for (int root = 0; root < world.size(); ++root) {
        T copy = world.rank() == root ? object : T{};
        world.broadcast(copy, {.root = root});
        CHECK(copy == object);
        const std::vector<T> all = world.gather(object, {.root = root});
        CHECK_EQ(all.size(), world.rank() == root ? static_cast<std::size_t>(world.size()) : 0u);
        for (const T &each : all)
            CHECK(each == object);
        const std::vector<T> dealt(world.rank() == root ? static_cast<std::size_t>(world.size()) : 0u,
                                   object);
        CHECK(world.scatter(dealt, {.root = root}) == object);
    }
    const std::vector<T> each(static_cast<std::size_t>(world.size()), object);
    CHECK(world.allgather(object) == each);
    CHECK(world.alltoallv(each) == each);
}

/// Objects that change owner round the ring: between threads the very memory that they hold.
void handed_over() {
    using contents = std::map<std::string, std::vector<std::string>>;
    static_assert(lisle::transferable<contents> && lisle::transferable<person>);
    static_assert(!lisle::transferable<std::unique_ptr<shape>> && !lisle::transferable<account>);
    const contents wanted{{"key", {std::string(3000, 'a'), "b"}}, {"other", {}}};
    contents mine = wanted;
    const auto address = reinterpret_cast<std::uintptr_t>(mine["key"][0].data());
    const auto theirs = world.sendrecv(address, {.dest = next(), .source = previous()});
    lisle::hand_over(world, std::move(mine), next(), 6);
    CHECK(mine.empty());
    contents got = lisle::take_over<contents>(world, previous(), 6);
    CHECK(got == wanted);
    if (lisle::has_extensions && world.shares_memory(previous()))
        CHECK_EQ(reinterpret_cast<std::uintptr_t>(got["key"][0].data()), theirs);
    lisle::hand_over(world, person{"Ada", 36, {"x"}}, next(), 7);
    CHECK(lisle::take_over<person>(world, lisle::any_source, 7) == (person{"Ada", 36, {"x"}}));
}

/// Long objects, which are written, sent and read at the same time or copied by both ranks: into new objects
/// and into ones that hold something else, longer or shorter, and by calls of every kind.
template <class T> void goes_by_piece(const T &object, const T &other) {
    const bool first = world.rank() % 2 == 0;
    const bool alone = world.size() == 1; // a long message to itself would wait for ever
    const auto exchange = [&](auto receive) {
        auto receiving = alone ? world.ireceive<T>(0, 9) : world.ireceive<T>(MPI_PROC_NULL, 9);
        if (first || alone)
            world.send(object, next(), 9);
        if (alone)
            CHECK(receiving.wait() == object);
        else
            CHECK(receive() == object);
        if (!first && !alone)
            world.send(object, next(), 9);
    };
    exchange([] { return world.receive<T>(previous(), 9); });
    exchange([] { return std::move(world.receive_with_status<T>(lisle::any_source, 9).value); });
    exchange([] { return world.ireceive<T>(previous(), 9).wait(); });
    exchange([] { return world.mprobe(previous(), 9).template receive<T>(); });
    for (T filled : {T{}, object, other})
        exchange([&] {
            CHECK_EQ(world.receive_into(filled, previous(), 9).source(), previous());
            return filled;
        });
    exchange([&] { // of another type than what was sent, or as the bytes that it is
        auto taken = world.mprobe(previous(), 9);
        std::tuple<T> wrapped;
        taken.receive_into(wrapped);
        return std::get<0>(wrapped);
    });
}

void long_objects() {
    using strings = std::vector<std::string>;
    const strings even(256, std::string(1016, 's'));
    strings uneven(1000);
    for (std::size_t i = 0; i < uneven.size(); ++i)
        uneven[i].assign(i * 7919 % 501, static_cast<char>('a' + i % 26));
    uneven[500].assign(200'000, 'x'); // over many packets
    goes_by_piece(even, uneven);
    goes_by_piece(uneven, even);
    goes_by_piece(strings(20'000), strings{"one"});
    goes_by_piece(std::vector<std::wstring>(10, std::wstring(5001, L'w')), {});
    goes_by_piece(std::vector<std::vector<point>>(8, std::vector<point>(1003, point{1, 2})), {});
    goes_by_piece(std::vector<std::vector<bool>>(20, std::vector<bool>(5003, true)), {});
    goes_by_piece(std::vector<bool>(100'000, true), std::vector<bool>(7, false));
    goes_by_piece(std::vector<person>(1500, person{"Ada", 36, {"a", "", std::string(77, 'b')}}), {});
    std::map<std::string, std::vector<std::optional<std::string>>> nested;
    for (int i = 0; i < 500; ++i)
        nested[std::to_string(i)] = {std::nullopt, std::string(static_cast<std::size_t>(i), 'n'), ""};
    goes_by_piece(nested, {{"gone", {}}});
    goes_by_piece(std::pair{std::string(100'000, 'p'), std::deque<std::string>(1000, "q")}, {});
}

/// Receives what is no object of type T, as one message and, if it is long enough, in pieces: an error that
/// leaves nothing behind, and no attempt to get as much memory as the message says.
template <class T> void refuses(const std::vector<std::byte> &bytes) {
    auto bad = world.isend(std::vector<std::byte>{bytes}, next(), 5);
    const auto failed = lisle::attempt([&] { return world.receive<T>(previous(), 5); });
    CHECK(!failed.has_value());
    CHECK_EQ(failed.error().error_class(), MPI_ERR_TRUNCATE);
    static_cast<void>(bad.wait());
}

void malformed() {
    std::vector<std::byte> bytes(3, std::byte{0xff});
    refuses<person>(bytes);
    for (const std::size_t size : {8, 16, 100, 100'000}) {
        bytes.assign(size, std::byte{0xff}); // numbers of things that are larger than anything
        refuses<std::vector<std::string>>(bytes);
        refuses<std::vector<std::vector<point>>>(bytes);
        refuses<std::map<std::string, int>>(bytes);
        refuses<std::list<std::string>>(bytes);
        refuses<std::unordered_map<std::string, std::wstring>>(bytes);
        bytes.assign(size, std::byte{1}); // or only larger than the message
        refuses<std::vector<std::string>>(bytes);
        refuses<std::deque<std::vector<double>>>(bytes);
        bytes.assign(size, std::byte{0}); // one string that ends too early
        bytes[0] = std::byte{1};
        if (size >= 16) {
            const std::uint64_t length = size - 15;
            std::memcpy(bytes.data() + 8, &length, sizeof length);
        }
        refuses<std::vector<std::string>>(bytes);
    }
}

} // namespace

CEREAL_REGISTER_TYPE(square)

int main() {
    const lisle::environment mpi;
    const person p{"Ada", 36, {"a", std::string(5000, 'b'), ""}};
    goes_round(p);
    goes_round(std::vector<person>(20, p));
    goes_round(std::vector<person>{});
    goes_round(account{{{"x", 1.5}, {"y", -2}}});
    goes_round(std::map<std::string, std::vector<int>>{{"one", {1}}, {"none", {}}});
    goes_round(std::variant<int, std::string>{std::string{"text"}});
    goes_round(std::optional<std::string>{});
    goes_round(std::vector<bool>{true, false, true});
    goes_round(std::map<std::string, std::vector<point>>{{"two", {{1, 2}, {3, 4}}}, {"none", {}}});
    goes_round(std::vector<std::wstring>{L"wide", L"", std::wstring(1000, L'w')});
    goes_round(std::vector<std::vector<double>>{{1, 2}, {}, {3}});

    std::unique_ptr<shape> mine = std::make_unique<square>(world.rank() + 1);
    auto sending = world.isend(lisle::borrow(mine), next());
    const auto got = world.receive<std::unique_ptr<shape>>(previous());
    CHECK_EQ(got->area(), (previous() + 1) * (previous() + 1));
    sending.wait();

    // Reductions of whole objects keep the order of ranks.
    using names = std::vector<std::string>;
    const auto join = [](const names &a, const names &b) {
        names all = a;
        all.insert(all.end(), b.begin(), b.end());
        return all;
    };
    const names joined = world.allreduce(names{std::to_string(world.rank())}, join);
    CHECK_EQ(joined.size(), static_cast<std::size_t>(world.size()));
    for (int i = 0; i < world.size(); ++i)
        CHECK_EQ(joined[static_cast<std::size_t>(i)], std::to_string(i));
    CHECK_EQ(world.scan(names{"x"}, join).size(), static_cast<std::size_t>(world.rank() + 1));

    // Everybody sends to the ranks that its number divides; nobody knows how many come.
    for (int round = 0; round < 20; ++round) {
        std::vector<lisle::addressed<person>> out;
        for (int to = 0; to < world.size(); ++to)
            if (to % (world.rank() + 1) == round % 2)
                out.push_back({to, {"from " + std::to_string(world.rank()), round, {}}});
        std::size_t expected = 0;
        for (int from = 0; from < world.size(); ++from)
            expected += world.rank() % (from + 1) == round % 2 ? 1 : 0;
        const auto in = lisle::sparse_exchange(world, out);
        CHECK_EQ(in.size(), expected);
        for (const auto &[from, content] : in) {
            CHECK_EQ(content.name, "from " + std::to_string(from));
            CHECK_EQ(content.age, round);
        }
    }
    handed_over();
    long_objects();
    malformed();
}
