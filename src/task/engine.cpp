// SPDX-License-Identifier: Apache-2.0
#include "task/engine.hpp"

#include <algorithm>
#include <cstdio>

namespace lisle::tasks {

engine::engine(const registry &kernels, transport &between, const machine_options &options)
    : kernels_{kernels}, transport_{between}, options_{options}, termination_{between.rank(),
                                                                              between.ranks()} {
    const auto ranks = static_cast<std::size_t>(transport_.ranks());
    const auto hashes = transport_.gather(kernels_.hash());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (hashes[rank] != kernels_.hash()) {
            throw std::runtime_error{"machine: rank " + std::to_string(rank) +
                                     " has registered other kernels than rank " +
                                     std::to_string(transport_.rank())};
        }
    }
    map_ = tile_map{transport_.gather(static_cast<std::uint64_t>(std::max(options_.tiles, 0)))};
    keeper_ = std::make_shared<keeper>(keeper::links{
        [this](const ref<remote_object> &wanted) { do_later([this, wanted] { fetch(wanted); }); },
        [this](int owner, std::uint64_t id, std::uint64_t references) {
            packet header{packet_type::acknowledge, static_cast<std::uint8_t>(packet_acknowledge::released)};
            header.address = id;
            header.count = references;
            send(owner, header);
        }});
    waiting_for_credit_.resize(ranks);
    under_way_.resize(ranks);
    credit_owed_.resize(ranks);
    has_asked_.resize(ranks);
    for (int i = 0; i < options_.tiles; ++i) {
        tiles_.push_back(std::make_unique<tile>(
            *this, i,
            tile_place{map_.first_of(transport_.rank()) + i, map_.tiles(), transport_.rank(), map_.ranks()}));
    }
    if (options_.tiles > 1) {
        for (const auto &each : tiles_) {
            threads_.emplace_back([&tile = *each] { tile.work(); });
        }
    }
}

engine::~engine() {
    for (const auto &each : tiles_) {
        each->stop();
    }
    for (std::thread &each : threads_) {
        each.join();
    }
    keeper_->disconnect();
}

double engine::now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void engine::print(const std::string &line) {
    const std::scoped_lock guard{print_mutex_};
    if (printer) {
        printer(line);
    } else {
        std::printf("%s\n", line.c_str());
        std::fflush(stdout);
    }
}

// Programs

program_state &engine::program(std::uint64_t number) {
    const std::scoped_lock guard{mutex_};
    const auto found = programs_.find(number);
    if (found == programs_.end()) {
        throw std::runtime_error{"a packet belongs to program " + std::to_string(number) +
                                 ", which is not loaded"};
    }
    return *found->second;
}

program_state &engine::load(std::uint64_t number, const source &written) {
    auto loaded = std::make_unique<program_state>();
    loaded->number = number;
    loaded->text = compile(written, kernels_);
    loaded->text.gateway = static_cast<int>(number >> 32U);
    const std::scoped_lock guard{mutex_};
    return *(programs_[number] = std::move(loaded));
}

std::uint64_t engine::start(const source &written) {
    const std::uint64_t number = static_cast<std::uint64_t>(transport_.rank()) << 32U | ++last_program_;
    program_state &loaded = load(number, written);
    encoder out;
    value_writer values{*keeper_, ~std::size_t{0}}; // constants travel with the program
    write_source(written, out, values);
    packet header{packet_type::code};
    header.program = number;
    header.count = loaded.text.hash;
    const std::vector<std::byte> bytes = out.take();
    for (int rank = 0; rank < transport_.ranks(); ++rank) {
        if (rank != transport_.rank()) {
            send(rank, header, bytes);
        }
    }
    drive([&] { return loaded.acknowledged == transport_.ranks() - 1; });
    begin(loaded);
    return number;
}

void engine::begin(program_state &loaded) {
    record *const root = record::make(pool_, 1, 1);
    root->kind = record_kind::root;
    root->program = &loaded;
    frame *const variables = frame::make(pool_, loaded.text.functions[0].frame, &loaded);
    const task main{&loaded.text.nodes[loaded.text.functions[0].body], variables, root};
    post_anywhere(main);
}

value engine::wait(std::uint64_t number, std::string &file) {
    program_state &awaited_program = program(number);
    drive([&] {
        const std::scoped_lock guard{mutex_};
        return awaited_program.is_complete;
    });
    value result = std::move(awaited_program.result);
    file = awaited_program.text.file;
    packet header{packet_type::finish, static_cast<std::uint8_t>(packet_finish::program)};
    header.program = number;
    for (int rank = 0; rank < transport_.ranks(); ++rank) {
        if (rank != transport_.rank()) {
            send(rank, header);
        }
    }
    flush();
    std::unique_ptr<program_state> ended; // destroyed without the lock
    const std::scoped_lock guard{mutex_};
    ended = std::move(programs_.at(number));
    programs_.erase(number);
    return result;
}

bool engine::is_complete_or_fetches(tile &by, task &root) {
    std::vector<ref<remote_object>> missing;
    tile::find_missing(root.to->values()[0], true, missing);
    return missing.empty() || by.park(root, std::move(missing));
}

void engine::complete_program(record &root) {
    {
        const std::scoped_lock guard{mutex_};
        root.program->result = here(root.values()[0]);
        root.program->is_complete = true;
    }
    if (options_.tiles > 1) {
        transport_.wake();
    }
}

// Tasks

void engine::post(int tile, const task &ready) {
    tiles_[static_cast<std::size_t>(tile)]->post(ready);
    if (options_.tiles == 1 && std::this_thread::get_id() != own_thread_) {
        transport_.wake();
    }
}

void engine::post_anywhere(const task &ready) {
    const auto least = std::ranges::min_element(tiles_, {}, [](const auto &each) { return each->waiting(); });
    (*least)->post(ready);
}

void engine::announce_work(tile &from) {
    if (options_.tiles == 1) {
        return; // the tile is the rank's thread, which feeds the hungry by itself
    }
    if (asleep_count_.load(std::memory_order_seq_cst) > 0 && options_.where != spread::stay) {
        for (const auto &other : tiles_) {
            if (other.get() != &from && other->wake_if_asleep()) {
                return;
            }
        }
    }
    if (hungry_count_.load(std::memory_order_seq_cst) > 0 &&
        !is_woken_for_work_.exchange(true, std::memory_order_relaxed)) {
        transport_.wake();
    }
}

int engine::choose_tile(tile &from, const node &expression, frame &variables) {
    const code &text = variables.program->text;
    policy by = expression.placed_by;
    if (by == policy::none && expression.what == op::kernel) {
        by = options_.where == spread::round_robin    ? policy::round_robin
             : options_.where == spread::least_loaded ? policy::least_loaded
                                                      : policy::none;
    }
    switch (by) {
    case policy::here:
        return from.place().tile;
    case policy::gateway:
        return map_.first_of(text.gateway);
    case policy::round_robin:
        return static_cast<int>(turn_.fetch_add(1, std::memory_order_relaxed) %
                                static_cast<unsigned>(map_.tiles()));
    case policy::least_loaded: {
        int best = from.place().tile;
        std::size_t least = from.waiting();
        for (const auto &other : tiles_) {
            if (other->waiting() < least) {
                least = other->waiting();
                best = other->place().tile;
            }
        }
        const std::scoped_lock guard{mutex_};
        for (int rank = 0; rank < map_.ranks(); ++rank) {
            const std::size_t waiting =
                under_way_[static_cast<std::size_t>(rank)] / static_cast<unsigned>(map_.count_of(rank));
            if (rank != transport_.rank() && waiting < least) {
                least = waiting;
                best = map_.first_of(rank);
            }
        }
        return best;
    }
    case policy::owner:
        for (const std::uint32_t child : text.children_of(expression)) {
            if (!text.nodes[child].is_simple) {
                continue;
            }
            const value argument = from.simple(text.nodes[child], variables);
            if (argument.is(object_kind::remote)) {
                return map_.first_of(argument.as<remote_object>().owner);
            }
        }
        return from.place().tile;
    case policy::none:
        break;
    }
    return -1;
}

// The rank's own thread

void engine::drive(const std::function<bool()> &until) {
    const auto receiver = [this](int from, std::span<const std::byte> bytes) { receive(from, bytes); };
    const bool is_tile = options_.tiles == 1;
    constexpr int most_tasks = 32; // then packets have their turn
    while (!until()) {
        bool has_run = false;
        for (int i = 0; i < most_tasks && is_tile && tiles_[0]->run_one(); ++i) {
            has_run = true;
        }
        if (has_run && transport_.ranks() == 1) {
            continue;
        }
        if (make_progress() || has_run || until()) {
            continue;
        }
        if (is_idle()) {
            when_idle();
            flush();
            if (until() || !is_idle()) {
                continue;
            }
        }
        if (transport_.ranks() > 1 || !is_tile) {
            transport_.wait(receiver);
        }
    }
    flush();
}

bool engine::make_progress() {
    is_woken_for_work_.store(false, std::memory_order_relaxed);
    flush();
    const bool has_received =
        transport_.poll([this](int from, std::span<const std::byte> bytes) { receive(from, bytes); });
    const bool has_fed = feed_hungry();
    flush();
    last_poll_ = std::chrono::steady_clock::now();
    return has_received || has_fed;
}

void engine::before_kernel(tile &) {
    if (options_.tiles > 1 || transport_.ranks() == 1) {
        return;
    }
    if (std::chrono::steady_clock::now() - last_poll_ > std::chrono::microseconds{20}) {
        make_progress();
    } else if (!hungry_.empty() && feed_hungry()) {
        flush();
    }
}

bool engine::is_idle() const {
    const std::uint64_t before = wake_ups_.load(std::memory_order_seq_cst);
    if (options_.tiles > 1 && asleep_count_.load(std::memory_order_seq_cst) != options_.tiles) {
        return false;
    }
    const bool has_tasks = std::ranges::any_of(tiles_, [this](const auto &each) {
        return each->has_posts() || each->begins_withheld() ||
               (!is_throttled() && (each->ready().size() > 0 || each->has_withheld()));
    });
    return !has_tasks && !has_outgoing_.load(std::memory_order_seq_cst) &&
           wake_ups_.load(std::memory_order_seq_cst) == before;
}

// Nothing to do: ask others for work, and let the token go on.
void engine::when_idle() {
    if (options_.where == spread::steal && !is_throttled()) {
        const int rank = transport_.rank();
        for (int bit = 1; bit < 2 * transport_.ranks();
             bit *= 2) { // along the edges of a cube, so all are connected
            ask_for_work(rank ^ bit);
        }
    }
    if (!termination_.holds_token()) {
        return;
    }
    if (transport_.rank() == 0) {
        const auto verdict = termination_.judge(is_finishing_, is_throttled());
        if (verdict != termination::verdict::unknown) {
            const packet_finish told = verdict == termination::verdict::all_finished ? packet_finish::end
                                       : verdict == termination::verdict::full       ? packet_finish::full
                                                                                     : packet_finish::stuck;
            const packet header{packet_type::finish, static_cast<std::uint8_t>(told)};
            for (int rank = 1; rank < transport_.ranks(); ++rank) {
                send(rank, header);
            }
            act_on(told);
            if (has_ended_) {
                return;
            }
        }
    }
    if (transport_.ranks() > 1) {
        const token on = termination_.pass(is_finishing_, is_throttled());
        packet header{packet_type::finish, static_cast<std::uint8_t>(packet_finish::token)};
        encoder out;
        out.number(on.under_way);
        out.number<std::uint8_t>(on.is_black ? 1 : 0);
        out.number<std::uint8_t>(on.all_finish ? 1 : 0);
        out.number<std::uint8_t>(on.is_full ? 1 : 0);
        send(termination_.next(), header, out.take());
    }
}

// What rank 0 has found out about all ranks, which are idle.
void engine::act_on(packet_finish verdict) {
    switch (verdict) {
    case packet_finish::end:
        has_ended_ = true;
        return;
    case packet_finish::full: // each waits for room at another
        for (const auto &each : tiles_) {
            each->begin_withheld();
        }
        return;
    default:
        return resume_all_parked();
    }
}

// Nothing is under way any more, and some tasks still wait for variables or buffers: they get an error.
void engine::resume_all_parked() {
    std::map<std::uint64_t, std::shared_ptr<parked>> all;
    {
        const std::scoped_lock guard{mutex_};
        all.swap(parked_);
    }
    for (const auto &[number, waiting] : all) {
        if (!waiting->is_resumed.exchange(true, std::memory_order_relaxed)) {
            waiting->then(make<failure>("waits for a value that nothing is left to provide", place{}));
        }
    }
}

std::vector<std::uint64_t> engine::own_programs() const {
    const std::scoped_lock guard{mutex_};
    std::vector<std::uint64_t> numbers;
    for (const auto &[number, state] : programs_) {
        if (state->text.gateway == transport_.rank()) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

void engine::finish() {
    for (const std::uint64_t number : own_programs()) { // nobody has waited for these
        std::string file;
        wait(number, file);
    }
    is_finishing_ = true;
    drive([this] { return has_ended_; });
    gather_trace();
    const auto nobody = [](int, std::span<const std::byte>) {};
    while (!transport_.has_sent_all()) {
        transport_.poll(nobody);
    }
}

machine_counts engine::counts() const {
    machine_counts all = counts_;
    for (const auto &each : tiles_) {
        all.kernels_run += each->kernels_run;
        all.tasks_stolen += each->stolen;
    }
    all.objects_kept = keeper_->objects_kept();
    const std::scoped_lock guard{mutex_};
    all.results_awaited = awaited_.size();
    all.most_waiting = most_waiting_;
    return all;
}

// Cells

void engine::use_cell(packet_request what, const value &which, value given, continuation then) {
    const value known = here(which);
    if (known.is(object_kind::remote) && known.as<remote_object>().what == object_kind::cell) {
        const auto &away = known.as<remote_object>();
        packet header{packet_type::request, static_cast<std::uint8_t>(what)};
        header.address = away.id;
        header.count = await({away.owner, nullptr, 0, 1, std::move(then)});
        encoder out;
        value_writer{*keeper_, options_.largest_inline}.write(given, out);
        return send(away.owner, header, out.take());
    }
    try {
        if (!known.is(object_kind::cell)) {
            throw std::invalid_argument{
                "a variable that is assigned once, or a buffer, is wanted here, not " + kind_name(known)};
        }
        auto &used = known.as<cell>();
        if (what == packet_request::put) {
            used.put(given);
            return then(std::move(given));
        }
        if (what == packet_request::close) {
            used.close();
            return then({});
        }
        auto waiting = std::make_shared<parked>();
        waiting->then = std::move(then);
        std::uint64_t number = 0;
        {
            const std::scoped_lock guard{mutex_};
            number = ++last_parked_;
            parked_.emplace(number, waiting);
        }
        used.get([this, waiting, number](value found) {
            if (!waiting->is_resumed.exchange(true, std::memory_order_relaxed)) {
                {
                    const std::scoped_lock guard{mutex_};
                    parked_.erase(number);
                }
                waiting->then(std::move(found));
            }
        });
    } catch (const std::exception &reason) {
        then(make<failure>(reason.what(), place{}));
    }
}

} // namespace lisle::tasks
