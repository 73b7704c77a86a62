// SPDX-License-Identifier: Apache-2.0
// Objects that travel as bytes: containers of strings, maps, variants, pointers to polymorphic objects,
// aggregates with such fields, classes with a serialize(); in messages and in collectives.
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <lisle/sparse_exchange.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
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
    // A message that is no object of the wanted type is an error, not a crash.
    auto bad = world.isend(std::vector<std::byte>(3, std::byte{0xff}), next(), 5);
    const auto failed = lisle::attempt([&] { return world.receive<person>(previous(), 5); });
    CHECK(!failed.has_value());
    static_cast<void>(bad.wait());
}
