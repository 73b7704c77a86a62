// SPDX-License-Identifier: Apache-2.0
// Expressions that wait for something else than their arguments: objects of other ranks, and cells.
#include <algorithm>
#include <atomic>

#include "task/machine/scheduler.hpp"

namespace lisle::tasks {

void find_missing(const value &any, bool deep, std::vector<ref<remote_object>> &missing) {
    if (has_to_be_fetched(any)) {
        missing.emplace_back(&any.as<remote_object>());
    } else if (deep && any.is(object_kind::list) && any.as<list>().may_be_remote()) {
        for (const value &item : any.as<list>().items) {
            find_missing(item, deep, missing);
        }
    }
}

// The task goes on when the objects are here.
bool reducer::park(const task &now, std::vector<ref<remote_object>> missing) {
    simple_.forget_missing();
    struct waiting_task {
        std::atomic<std::size_t> missing; ///< acq_rel: the last one goes on
        task what;
    };
    auto waiting = std::make_shared<waiting_task>(missing.size(), now);
    for (const auto &each : missing) {
        each->when_here([waiting, &machine = scheduler_, number = tile_.number()] {
            if (waiting->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                machine.post(number, waiting->what);
            }
        });
    }
    return false;
}

// Operations on variables that are assigned once, and on buffers.
bool reducer::perform_cell(task &now, std::span<value> arguments) {
    switch (now.expression->what) {
    case op::fresh_buffer: {
        std::deque<value> filled;
        if (arguments.empty()) {
            return deliver(now, make<cell>(cell::sort::buffer));
        }
        const std::int64_t length = length_of(here(arguments[0]));
        if (length < 0) {
            return deliver(now, fail(now, "buf wants a list, not " + kind_name(arguments[0])));
        }
        for (std::int64_t i = 0; i < length; ++i) {
            filled.push_back(element_of(here(arguments[0]), i));
        }
        return deliver(now, make<cell>(std::move(filled)));
    }
    case op::fresh_block: {
        auto first = make<cell>(cell::sort::variable);
        first->put(std::move(arguments[0]));
        return deliver(now, make<cell>(std::move(first)));
    }
    case op::assign:
    case op::put:
        scheduler_.use_cell(parcel_request::put, arguments[0], arguments[1], deliver_later(now));
        return false;
    case op::close:
        scheduler_.use_cell(parcel_request::close, arguments[0], {}, deliver_later(now));
        return false;
    default:
        scheduler_.use_cell(parcel_request::get, arguments[0], {}, deliver_later(now));
        return false;
    }
}

// The task's result comes later, from whatever thread: its place gets it as soon as this tile goes on.
continuation reducer::deliver_later(const task &now) {
    return [&machine = scheduler_, number = tile_.number(), now](value result) {
        if (result.is(object_kind::failure) && result.as<failure>().where == tasks::place{}) {
            auto located = make<failure>(result.as<failure>().message, now.expression->where);
            located->tile = machine.parts().tiles[number].place().tile;
            located->rank = machine.parts().rank();
            result = located;
        }
        record *const carried = record::make(block_pool::fresh(record::bytes(1)), 1, 0);
        carried->kind = record_kind::carry;
        carried->variables = now.variables;
        carried->to = now.to;
        carried->slot = now.slot;
        carried->values()[0] = std::move(result);
        machine.post(number, {nullptr, nullptr, carried});
    };
}

} // namespace lisle::tasks
