// SPDX-License-Identifier: Apache-2.0
// Classes with functions of their own for archives, all of which could travel as their fields: these
// functions are called, wherever an object of such a class stands. Each keeps degrees, writes turns, and
// knows when it has been read.
#include <lisle/handover.hpp>
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();
const auto next = [] { return (world.rank() + 1) % world.size(); };
const auto previous = [] { return (world.rank() + world.size() - 1) % world.size(); };

// ---- each of the ways ----

/// Writes and reads for all of them.
template <class Archive> void write(Archive &archive, double degrees) {
    archive(degrees / 360);
}
template <class Archive> void read(Archive &archive, double &degrees, bool &was_read) {
    double turns = 0;
    archive(turns);
    degrees = turns * 360;
    was_read = true;
}
template <class Archive> void go(Archive &archive, double &degrees, bool &was_read) {
    if constexpr (Archive::is_loading::value)
        read(archive, degrees, was_read);
    else
        write(archive, degrees);
}

struct with_serialize {
    double degrees = 0;
    bool was_read = false;
    template <class Archive> void serialize(Archive &archive) { go(archive, degrees, was_read); }
};
struct with_save_and_load {
    double degrees = 0;
    bool was_read = false;
    template <class Archive> void save(Archive &archive) const { write(archive, degrees); }
    template <class Archive> void load(Archive &archive) { read(archive, degrees, was_read); }
};
struct with_minimal {
    double degrees = 0;
    bool was_read = false;
    template <class Archive> double save_minimal(const Archive &) const { return degrees / 360; }
    template <class Archive> void load_minimal(const Archive &, const double &turns) {
        degrees = turns * 360;
        was_read = true;
    }
};
struct with_private {
    double degrees = 0;
    bool was_read = false;

  private:
    friend class cereal::access;
    template <class Archive> void serialize(Archive &archive) { go(archive, degrees, was_read); }
};
struct with_versions {
    double degrees = 0;
    bool was_read = false;
    template <class Archive> void serialize(Archive &archive, std::uint32_t) {
        go(archive, degrees, was_read);
    }
};
struct asking_much {
    double degrees = 0;
    bool was_read = false;
    template <class Archive>
    requires std::derived_from<Archive, cereal::detail::OutputArchiveBase>
    void save(Archive &archive) const { write(archive, degrees); }
    template <class Archive>
    requires std::derived_from<Archive, cereal::detail::InputArchiveBase>
    void load(Archive &archive) { read(archive, degrees, was_read); }
};
struct last final {
    double degrees = 0;
    bool was_read = false;
    template <class Archive> void serialize(Archive &archive) { go(archive, degrees, was_read); }
};
struct serialized_beside {
    double degrees = 0;
    bool was_read = false;
};
template <class Archive> void serialize(Archive &archive, serialized_beside &object) {
    go(archive, object.degrees, object.was_read);
}
struct saved_beside {
    double degrees = 0;
    bool was_read = false;
};
template <class Archive> void save(Archive &archive, const saved_beside &object) {
    write(archive, object.degrees);
}
template <class Archive> void load(Archive &archive, saved_beside &object) {
    read(archive, object.degrees, object.was_read);
}
struct minimal_beside {
    double degrees = 0;
    bool was_read = false;
};
template <class Archive> double save_minimal(const Archive &, const minimal_beside &object) {
    return object.degrees / 360;
}
template <class Archive> void load_minimal(const Archive &, minimal_beside &object, const double &turns) {
    object.degrees = turns * 360;
    object.was_read = true;
}
struct with_friend {
    double degrees = 0;
    bool was_read = false;
    template <class Archive> friend void serialize(Archive &archive, with_friend &object) {
        go(archive, object.degrees, object.was_read);
    }
};
/// It has no fields of its own, so its base's function says all.
struct renamed : with_save_and_load {};
/// It says what of its base travels.
struct extended : with_serialize {
    template <class Archive> void serialize(Archive &archive) {
        archive(cereal::base_class<with_serialize>(this), axis);
    }
    int axis = 3;
};
/// Copied in a way of its own.
struct with_copies {
    with_copies() = default;
    with_copies(double by) : degrees{by} {}
    with_copies(const with_copies &other)
        : degrees{other.degrees}, was_read{other.was_read}, copies{other.copies + 1} {}
    with_copies &operator=(const with_copies &) = default;
    template <class Archive> void serialize(Archive &archive) { go(archive, degrees, was_read); }
    double degrees = 0;
    bool was_read = false;
    int copies = 0;
};

// ---- what is none of them ----

struct field_names {
    double load = 1, save = 2, serialize = 3;
    friend bool operator==(const field_names &, const field_names &) = default;
};
struct by_file {
    int number = 0;
    void save(const char *) const {}
    bool load(const char *) { return false; }
    [[nodiscard]] std::string serialize() const { return "number"; }
    friend bool operator==(const by_file &, const by_file &) = default;
};
struct by_pointer {
    double values[4] = {};
    template <class P> void load(const P *from) { values[0] = *from; }
    template <class P> void save(P *to) const { *to = values[0]; }
    friend bool operator==(const by_pointer &, const by_pointer &) = default;
};
struct type_names {
    using load = int;
    int number = 0;
    friend bool operator==(const type_names &, const type_names &) = default;
};
/// What it says to Lisle comes first.
struct named_fields {
    double degrees = 0;
    bool was_read = false;
    using lisle_fields = lisle::members<&named_fields::degrees>;
    template <class Archive> void serialize(Archive &archive) { go(archive, degrees, was_read); }
};
static_assert(lisle::direct<field_names> && lisle::direct<by_file> && lisle::direct<by_pointer> &&
              lisle::direct<type_names> && lisle::direct<named_fields> &&
              lisle::direct<std::pair<int, by_file>>);

// ---- wherever they stand ----

template <class T> struct holder {
    int number = 7;
    T held;
    T more[2];
};

template <class T> bool is_right(const T &object, double degrees, bool from_another) {
    return object.degrees == degrees && (object.was_read || !from_another);
}

template <class T> T made(double degrees) {
    T object;
    object.degrees = degrees;
    return object;
}

/// Sends what `make` makes of a number, and asks `right` of what comes.
template <class Make, class Right> void travels(Make make, Right right) {
    using type = decltype(make(0.0));
    static_assert(!lisle::direct<type> && lisle::serialized<type>);
    const type sent = make(90.0 * world.rank());
    CHECK(right(world.sendrecv(sent, {.dest = next(), .source = previous()}), 90.0 * previous(),
                world.size() > 1));
    const std::vector<type> all = world.allgather(sent);
    for (int rank = 0; rank != world.size(); ++rank)
        CHECK(right(all[static_cast<std::size_t>(rank)], 90.0 * rank, rank != world.rank()));
}

template <class T> void alone() {
    travels([](double degrees) { return made<T>(degrees); }, is_right<T>);
}

/// The same in calls of other kinds.
template <class T> void in_all_calls() {
    const double mine = 90.0 * world.rank(), theirs = 90.0 * previous();
    const bool another = world.size() > 1;
    const T sent = made<T>(mine);
    auto sending = world.isend(lisle::borrow(sent), next());
    CHECK(is_right(world.receive<T>(previous()), theirs, another));
    sending.wait();
    auto receiving = world.ireceive<T>(previous(), 1);
    world.send(sent, next(), 1);
    CHECK(is_right(receiving.wait(), theirs, another));
    auto last_one = world.isend(lisle::borrow(sent), next(), 2);
    T filled = made<T>(1);
    world.receive_into(filled, previous(), 2);
    CHECK(is_right(filled, theirs, another));
    last_one.wait();
    T cast = sent;
    world.broadcast(cast);
    CHECK(is_right(cast, 0, world.rank() != 0));
    const std::vector<T> gathered = world.igather(sent).wait();
    for (std::size_t rank = 0; rank != gathered.size(); ++rank)
        CHECK(is_right(gathered[rank], 90.0 * static_cast<double>(rank), rank != 0));
    std::vector<T> dealt;
    for (int rank = 0; rank != world.size(); ++rank)
        dealt.push_back(made<T>(90.0 * rank));
    CHECK(is_right(world.scatter(dealt), mine, world.rank() != 0));
    const T largest = world.allreduce(
        sent, [](const T &one, const T &other) { return one.degrees > other.degrees ? one : other; });
    CHECK(largest.degrees == 90.0 * (world.size() - 1));
}

template <class T> void held() {
    const auto right = is_right<T>;
    travels(
        [](double degrees) {
            return holder<T>{7, made<T>(degrees), {made<T>(1), made<T>(degrees)}};
        },
        [=](const holder<T> &got, double degrees, bool another) {
            return got.number == 7 && right(got.held, degrees, another) && right(got.more[0], 1, another) &&
                   right(got.more[1], degrees, another);
        });
    travels(
        [](double degrees) {
            return std::pair{3, made<T>(degrees)};
        },
        [=](const auto &got, double degrees, bool another) {
            return got.first == 3 && right(got.second, degrees, another);
        });
    travels(
        [](double degrees) {
            return std::tuple{made<T>(degrees), 'c'};
        },
        [=](const auto &got, double degrees, bool another) {
            return std::get<1>(got) == 'c' && right(std::get<0>(got), degrees, another);
        });
    travels(
        [](double degrees) {
            return std::array{made<T>(2), made<T>(degrees)};
        },
        [=](const auto &got, double degrees, bool another) {
            return right(got[0], 2, another) && right(got[1], degrees, another);
        });
    travels(
        [](double degrees) { return std::optional{made<T>(degrees)}; },
        [=](const auto &got, double degrees, bool another) { return got && right(*got, degrees, another); });
    travels([](double degrees) { return std::variant<int, T>{made<T>(degrees)}; },
            [=](const auto &got, double degrees, bool another) {
                return got.index() == 1 && right(std::get<1>(got), degrees, another);
            });
    travels(
        [](double degrees) {
            return std::map<int, T>{{5, made<T>(degrees)}};
        },
        [=](const auto &got, double degrees, bool another) {
            return got.size() == 1 && right(got.at(5), degrees, another);
        });
}

/// A vector of them, short and so long that its receiver would copy values where they lie.
template <class T> void many() {
    static_assert(!lisle::direct_range<std::vector<T>> && lisle::serialized<std::vector<T>>);
    for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{20'000}}) {
        std::vector<T> sent(count);
        for (std::size_t i = 0; i != count; ++i)
            sent[i].degrees = static_cast<double>(360 * i) + 90.0 * world.rank();
        const auto right = [&](const std::vector<T> &got, int from) {
            bool all = got.size() == count;
            for (std::size_t i = 0; i != got.size(); ++i)
                all =
                    all && is_right(got[i], static_cast<double>(360 * i) + 90.0 * from, from != world.rank());
            return all;
        };
        auto sending = world.isend(lisle::borrow(sent), next());
        CHECK(right(world.receive<std::vector<T>>(previous()), previous()));
        sending.wait();
        if (world.rank() % 2 == 0 && world.size() % 2 == 0) { // long ones wait for their receiver
            world.send(sent, world.rank() + 1);
            CHECK(right(world.receive<std::vector<T>>(world.rank() + 1), world.rank() + 1));
        } else if (world.size() % 2 == 0) {
            CHECK(right(world.receive<std::vector<T>>(world.rank() - 1), world.rank() - 1));
            world.send(sent, world.rank() - 1);
        }
        std::vector<T> cast = sent;
        world.broadcast(cast);
        CHECK(right(cast, 0) || (world.rank() == 0 && cast.size() == count));
    }
}

// What changes owner is not written.
static_assert(lisle::transferable<std::vector<by_file>> &&
              !lisle::transferable<std::vector<with_serialize>> &&
              !lisle::transferable<std::map<int, saved_beside>>);

template <class T> void travels_as_fields(const T &object) {
    static_assert(lisle::direct<T>);
    CHECK(world.sendrecv(object, {.dest = next(), .source = previous()}) == object);
}

} // namespace

int main() {
    const lisle::environment mpi;
    alone<with_serialize>();
    alone<with_save_and_load>();
    alone<with_minimal>();
    alone<with_private>();
    alone<with_versions>();
    alone<asking_much>();
    alone<last>();
    alone<serialized_beside>();
    alone<saved_beside>();
    alone<minimal_beside>();
    alone<with_friend>();
    alone<renamed>();
    alone<extended>();
    alone<with_copies>();
    in_all_calls<with_save_and_load>();
    in_all_calls<serialized_beside>();
    held<with_save_and_load>();
    held<saved_beside>();
    many<with_serialize>();
    many<saved_beside>();
    travels_as_fields(field_names{});
    travels_as_fields(by_file{4});
    travels_as_fields(by_pointer{{1, 2, 3, 4}});
    travels_as_fields(type_names{5});
    named_fields named{90};
    named = world.sendrecv(named, {.dest = next(), .source = previous()});
    CHECK(named.degrees == 90 && !named.was_read);
    return 0;
}
