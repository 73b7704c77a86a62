// SPDX-License-Identifier: Apache-2.0
// Updates of blocks. Each takes the newest versions of the blocks that it reads, and leaves versions to come
// of those that it writes, in the order in which updates are met; it runs when the versions that it reads are
// there. A version that nobody reads any more is given to the kernel, which changes it where it is; one that
// is still read is copied, so no update waits for readers.
#include <algorithm>

#include "task/machine/scheduler.hpp"
#include "task/value/failing.hpp"

namespace lisle::tasks {

namespace {

/// A block of this rank. Throws std::invalid_argument for anything else.
cell &block_of(const value &given) {
    const value &known = here(given);
    if (known.is(object_kind::remote)) {
        throw std::invalid_argument{"a block of rank " +
                                    std::to_string(known.as<remote_object>().origin.rank) +
                                    ": blocks belong to the rank that runs the program"};
    }
    if (!known.is(object_kind::cell) || known.as<cell>().which() != cell::sort::block) {
        throw std::invalid_argument{"a block is wanted here, not " + kind_name(known)};
    }
    return known.as<cell>();
}

/// The blocks that an update writes: one, or those of a list, each once.
std::vector<cell *> written_blocks(const value &given) {
    std::vector<cell *> found;
    const value &known = here(given);
    if (!known.is(object_kind::list)) {
        return {&block_of(known)};
    }
    for (const value &each : known.as<list>().items) {
        cell &fresh = block_of(each);
        if (std::ranges::find(found, &fresh) != found.end()) {
            throw std::invalid_argument{"an update that writes a block twice"};
        }
        found.push_back(&fresh);
    }
    return found;
}

bool is_block(const value &given) {
    const value &known = here(given);
    return known.is(object_kind::cell) && known.as<cell>().which() == cell::sort::block;
}

void check_function(const value &given, std::size_t arguments) {
    if (!given.is(object_kind::closure)) {
        throw std::invalid_argument{"a function is wanted here, not " + kind_name(given)};
    }
    const auto &function = given.as<closure>();
    const function_code &called = function.program->text.functions[function.function];
    if (called.parameters != arguments) {
        throw std::invalid_argument{called.name + " wants " + std::to_string(called.parameters) +
                                    " arguments, not the " + std::to_string(arguments) +
                                    " of the update: what it writes and what it reads"};
    }
}

constexpr std::uint32_t function_value = 0, first_input = 1; // slots of an update's record
constexpr std::uint32_t result_value = 0, first_version = 1; // and of the record of its versions

} // namespace

bool reducer::perform_update(task &now, program_state &program, std::span<value> arguments) {
    std::int64_t priority = 0;
    std::vector<cell *> written;
    try {
        priority = priority_of(*now.expression, *now.variables);
        if (simple_.is_blocked()) {
            simple_.forget_missing();
            throw std::invalid_argument{"the priority of an update is an object of another rank"};
        }
        written = written_blocks(arguments[0]);
        check_function(arguments[1], written.size() + arguments.size() - 2);
    } catch (const std::exception &reason) {
        return deliver(now, fail(now, reason.what()));
    }
    const std::span<value> others = arguments.subspan(2);
    const auto outputs = static_cast<std::uint32_t>(written.size()),
               inputs = outputs + static_cast<std::uint32_t>(others.size());
    record *const done = record::make(pool_, first_version + outputs, 1);
    done->kind = record_kind::versions;
    done->expression = now.expression;
    done->program = &program;
    record *const ready = record::make(pool_, first_input + inputs, inputs + 1);
    ready->kind = record_kind::update;
    ready->expression = now.expression;
    ready->program = &program;
    ready->to = done;
    ready->values()[function_value] = arguments[1];
    // Relaxed: the program's own result, or the update in which this one is met, is counted as well.
    program.root->missing.fetch_add(1, std::memory_order_relaxed);

    std::vector<ref<cell>> versions(inputs);
    {
        const std::scoped_lock guard{scheduler_.parts().meeting_updates};
        for (std::uint32_t i = 0; i < others.size(); ++i) {
            if (is_block(others[i])) {
                versions[outputs + i] = here(others[i]).as<cell>().newest();
            }
        }
        for (std::uint32_t i = 0; i < outputs; ++i) {
            auto next = make<cell>(cell::sort::variable);
            done->values()[first_version + i] = next;
            versions[i] = written[i]->replace(std::move(next));
        }
    }
    for (std::uint32_t i = 0; i < inputs; ++i) {
        if (!versions[i]) {
            ready->values()[first_input + i] = std::move(others[i - outputs]);
        }
    }
    await_versions(*ready, versions, priority);
    return deliver(now, std::move(arguments[0]));
}

// The last of them to come, or this call, lets the update begin.
void reducer::await_versions(record &ready, const std::vector<ref<cell>> &versions, std::int64_t priority) {
    const auto arrive = [&machine = scheduler_, number = tile_.number(), &ready,
                         priority](std::uint32_t count) {
        // Acquire and release: the last one sees the values of all others.
        if (ready.missing.fetch_sub(count, std::memory_order_acq_rel) == count) {
            machine.begin_update(number, ready, priority);
        }
    };
    std::uint32_t given = 1;
    for (std::uint32_t i = 0; i < versions.size(); ++i) {
        if (!versions[i]) {
            ++given;
            continue;
        }
        scheduler_.parts().reads.read(*versions[i], [arrive, &ready, i](value found) {
            ready.values()[first_input + i] = std::move(found);
            arrive(1);
        });
    }
    arrive(given);
}

// `now`, an update whose versions are there, becomes the body of its function.
bool reducer::run_update(task &now) {
    record *const ready = now.to;
    if (const failure *const reason = failed(ready->all())) {
        value result = again(*reason);
        now = {nullptr, nullptr, ready->to, result_value};
        ready->free(pool_);
        return deliver(now, std::move(result));
    }
    now = body_of_update(*ready, pool_);
    return true;
}

task body_of_update(record &ready, block_pool &pool) {
    const value held = std::move(ready.values()[function_value]);
    const closure &function = held.as<closure>();
    const code &text = function.program->text;
    const function_code &called = text.functions[function.function];
    activation *const fresh = activation::make(pool, called.slots, function.program);
    std::ranges::copy(function.captured, fresh->values());
    std::ranges::move(ready.all().subspan(first_input), fresh->values() + called.captured);
    const task begun{&text.nodes[called.body], fresh, ready.to, result_value};
    ready.free(pool);
    return begun;
}

// An update has a result: the versions of the blocks that it writes have values, and the program one update
// less to wait for.
bool reducer::complete_update(task &now) {
    record *const done = now.to;
    value result = here(done->values()[result_value]);
    const std::uint32_t outputs = done->slots - first_version;
    if (!result.is(object_kind::failure) && outputs > 1 &&
        (!result.is(object_kind::list) || length_of(result) != outputs)) {
        now.expression = done->expression;
        result = fail(now, "an update of " + std::to_string(outputs) + " blocks gives " +
                               (result.is(object_kind::list) ? std::to_string(length_of(result)) + " values"
                                                             : kind_name(result)) +
                               ", not a list of a value for each");
    }
    const bool has_failed = result.is(object_kind::failure);
    record &root = *done->program->root;
    // Relaxed: whether it was the first; the count below publishes it.
    if (has_failed && std::atomic_ref{root.step}.exchange(1, std::memory_order_relaxed) == 0) {
        root.values()[root_failure] = result;
    }
    std::vector<ref<cell>> versions;
    for (std::uint32_t i = 0; i < outputs; ++i) {
        versions.emplace_back(&done->values()[first_version + i].as<cell>());
    }
    std::vector<value> values(outputs, outputs == 1 || has_failed ? result : value{});
    if (outputs > 1 && !has_failed) {
        values = result.as<list>().items;
    }
    result = value{};
    done->free(pool_); // first: what is left of the values is the versions' alone
    for (std::uint32_t i = 0; i < outputs; ++i) {
        versions[i]->put(std::move(values[i]));
        versions[i] = {};
    }
    return count_down(now, root);
}

} // namespace lisle::tasks
