// SPDX-License-Identifier: Apache-2.0
#include "task/machine/scheduler.hpp"

#include <algorithm>

#include "task/value/failing.hpp"

namespace lisle::tasks {

scheduler::scheduler(const registry &kernels, transport &between, const machine_options &options)
    : own_{kernels, between, options}, receiver_{own_, sender_, losses_,
                                                 [this](parcel_request what, const value &which, value given,
                                                        continuation then) {
                                                     use_cell(what, which, std::move(given), std::move(then));
                                                 }} {
    own_.objects = std::make_shared<keeper>(
        own_.rank(), keeper::links{[this](const ref<remote_object> &wanted) {
                                       own_.out.do_later([this, wanted] { sender_.fetch(wanted); });
                                   },
                                   [this](int owner, std::uint64_t id, std::uint64_t references) {
                                       parcel header{parcel_type::acknowledge,
                                                     static_cast<std::uint8_t>(parcel_acknowledge::released)};
                                       header.address = id;
                                       header.count = references;
                                       own_.out.send(owner, header);
                                   }});
    for (int i = 0; i < options.tiles; ++i) {
        const tile_place place{own_.map.first_of(own_.rank()) + i, own_.map.tiles(), own_.rank(),
                               own_.ranks()};
        own_.tiles.add(std::make_unique<tile>(*this, i, place));
    }
    own_.tiles.start();
}

scheduler::~scheduler() {
    own_.tiles.stop();
    own_.objects->disconnect();
}

// Programs

std::uint64_t scheduler::start(const source &written) {
    const std::uint64_t number = own_.programs.next_number(own_.rank());
    program_state &loaded = own_.programs.load(number, written);
    encoder out;
    value_writer values{*own_.objects, ~std::size_t{0}}; // constants travel with the program
    write_source(written, out, values);
    parcel header{parcel_type::code};
    header.program = number;
    header.count = loaded.text.hash;
    for (int rank = 0; rank < own_.ranks(); ++rank) {
        if (rank != own_.rank() && !own_.lost.has(rank)) {
            loaded.loading.insert(rank);
        }
    }
    sender_.tell_others(header, out.take());
    drive([&] { return loaded.loading.empty(); });
    begin(loaded);
    return number;
}

void scheduler::begin(program_state &loaded) {
    record *const root = record::make(own_.pool, root_slots, 1);
    root->kind = record_kind::root;
    root->program = &loaded;
    loaded.root = root;
    const function_code &whole = loaded.text.functions[0];
    activation *const variables = activation::make(own_.pool, whole.slots, &loaded);
    own_.tiles.least_loaded().post({&loaded.text.nodes[whole.body], variables, root});
}

value scheduler::wait(std::uint64_t number, std::string &file) {
    program_state &awaited_program = own_.programs.find(number);
    drive([&] { return own_.programs.is_complete(awaited_program); });
    value result = std::move(awaited_program.result);
    file = awaited_program.text.file;
    awaited_program.is_taken = true;
    if (awaited_program.is_over || !awaited_program.is_cancelled.load(std::memory_order_relaxed)) {
        forget(number);
    }
    return result;
}

// Nothing of the program is left on any rank.
void scheduler::forget(std::uint64_t number) {
    parcel header{parcel_type::finish, static_cast<std::uint8_t>(parcel_finish::program)};
    header.program = number;
    header.count = own_.lost.all().size();
    sender_.tell_others(header);
    own_.out.flush();
    own_.programs.remove(number);
}

bool scheduler::is_complete(std::uint64_t number) {
    return own_.programs.is_complete(own_.programs.find(number));
}

// Its value is there from now on: a failure. What of it has begun comes to an end by itself, and then the
// ranks forget it (complete_program()).
void scheduler::cancel(std::uint64_t number) {
    program_state &ended = own_.programs.find(number);
    if (own_.programs.is_complete(ended)) {
        return;
    }
    own_.programs.cancel(number);
    parcel header{parcel_type::finish, static_cast<std::uint8_t>(parcel_finish::cancel)};
    header.program = number;
    sender_.tell_others(header);
    own_.out.flush();
    const node &whole = ended.text.nodes[ended.text.functions[0].body];
    own_.programs.complete(ended, make<failure>("the program was cancelled", whole.where));
}

bool scheduler::complete_program(tile &by, task &root) {
    program_state &program = *root.to->program;
    if (program.is_cancelled.load(std::memory_order_relaxed) && own_.programs.is_complete(program)) {
        own_.out.do_later([this, &program] {
            program.is_over = true;
            if (program.is_taken) {
                forget(program.number);
            }
        });
        return true;
    }
    const value &own = root.to->values()[root_result], &failed_update = root.to->values()[root_failure];
    const value &result = own.is(object_kind::failure) || failed_update.is_nothing() ? own : failed_update;
    std::vector<ref<remote_object>> missing;
    find_missing(result, true, missing);
    if (!missing.empty()) {
        return by.evaluation().park(root, std::move(missing));
    }
    own_.programs.complete(program, here(result));
    if (own_.tiles.size() > 1) {
        own_.between.wake();
    }
    return true;
}

// Tasks

void scheduler::post(int tile, const task &ready) {
    own_.tiles[tile].post(ready);
    if (own_.tiles.size() == 1 && !own_.out.on_own_thread()) {
        own_.between.wake();
    }
}

void scheduler::dispatch(tile &from, task &placed, int target) {
    if (own_.map.rank_of(target) == own_.rank()) {
        return post(own_.own_tile(target), placed);
    }
    sender_.dispatch(from, placed, target);
}

void scheduler::announce_work(tile &from) {
    if (own_.tiles.size() == 1) {
        return; // the tile is the rank's thread, which feeds the hungry by itself
    }
    if (!own_.tiles.wake_another(from) && own_.requests.any() &&
        !is_woken_for_work_.exchange(true, std::memory_order_relaxed)) {
        own_.between.wake();
    }
}

void scheduler::share(const task &ready, std::int64_t priority) {
    own_.tiles.shared().put(ready, priority);
    const bool has_woken = own_.tiles.size() > 1 && own_.tiles.wake_one();
    if (!has_woken && !own_.out.on_own_thread() && (own_.tiles.size() == 1 || own_.requests.any())) {
        own_.between.wake();
    }
}

void scheduler::begin_update(int tile, record &ready, std::int64_t priority) {
    const task begun{nullptr, nullptr, &ready};
    if (own_.options.where == spread::stay || failed(ready.all()) != nullptr) {
        return post(tile, begun);
    }
    share(begun, priority);
}

int scheduler::choose_tile(tile &from, const node &expression, activation &variables) {
    policy by = expression.placed_by;
    if (by == policy::none && expression.what == op::kernel) {
        by = own_.options.where == spread::round_robin    ? policy::round_robin
             : own_.options.where == spread::least_loaded ? policy::least_loaded
                                                          : policy::none;
    }
    switch (by) {
    case policy::here:
        return from.place().tile;
    case policy::gateway: {
        const int gateway = variables.program->text.gateway;
        // What concerns blocks does any of its tiles, the rest the first.
        const bool is_of_blocks = expression.what == op::update || expression.what == op::fresh_block;
        return is_of_blocks && gateway == own_.rank() ? from.place().tile : own_.map.first_of(gateway);
    }
    case policy::round_robin:
        return next_in_turn();
    case policy::least_loaded:
        return least_loaded_tile(from);
    case policy::owner:
        return owner_tile(from, expression, variables);
    case policy::none:
        break;
    }
    return -1;
}

int scheduler::next_in_turn() {
    int tile = 0;
    do {
        tile = static_cast<int>(turn_.fetch_add(1, std::memory_order_relaxed) %
                                static_cast<unsigned>(own_.map.tiles()));
    } while (own_.lost.has(own_.map.rank_of(tile)));
    return tile;
}

// Of this rank's tiles and the first ones of others, as far as is known here.
int scheduler::least_loaded_tile(const tile &from) const {
    int best = from.place().tile;
    std::size_t least = from.waiting();
    for (const auto &other : own_.tiles) {
        if (other->waiting() < least) {
            least = other->waiting();
            best = other->place().tile;
        }
    }
    for (int rank = 0; rank < own_.map.ranks(); ++rank) {
        const std::size_t waiting =
            own_.credits.under_way(rank) / static_cast<unsigned>(own_.map.count_of(rank));
        if (rank != own_.rank() && waiting < least && !own_.lost.has(rank)) {
            least = waiting;
            best = own_.map.first_of(rank);
        }
    }
    return best;
}

// A tile of the rank that has one of the arguments.
int scheduler::owner_tile(tile &from, const node &expression, activation &variables) const {
    const code &text = variables.program->text;
    for (const std::uint32_t child : text.children_of(expression)) {
        if (!text.nodes[child].is_simple) {
            continue;
        }
        const value argument = from.evaluation().value_of(text.nodes[child], variables);
        if (argument.is(object_kind::remote) && !own_.lost.has(argument.as<remote_object>().owner)) {
            return own_.map.first_of(argument.as<remote_object>().owner);
        }
    }
    return from.place().tile;
}

void scheduler::use_cell(parcel_request what, const value &which, value given, continuation then) {
    const value known = here(which);
    if (known.is(object_kind::remote) && known.as<remote_object>().what == object_kind::cell) {
        return sender_.request_cell(what, known.as<remote_object>(), given, std::move(then));
    }
    try {
        if (!known.is(object_kind::cell)) {
            throw std::invalid_argument{
                "a variable that is assigned once, or a buffer, is wanted here, not " + kind_name(known)};
        }
        auto &used = known.as<cell>();
        if (what == parcel_request::put) {
            used.put(given);
            return then(std::move(given));
        }
        if (what == parcel_request::close) {
            used.close();
            return then({});
        }
        own_.reads.read(used, std::move(then));
    } catch (const std::exception &reason) {
        then(make<failure>(reason.what(), place{}));
    }
}

} // namespace lisle::tasks
