// SPDX-License-Identifier: Apache-2.0
#include <lisle/task/machine.hpp>

#include <algorithm>
#include <exception>

#include "task/machine/scheduler.hpp"

namespace lisle::tasks {

namespace {
std::string describe(const std::string &file, const failure &reason) {
    std::string text = file + ":" + std::to_string(reason.where.line) + ":" +
                       std::to_string(reason.where.column) + ": " + reason.message;
    if (reason.tile >= 0) {
        text += " (" + (reason.kernel.empty() ? "" : reason.kernel + ", ") + "tile " +
                std::to_string(reason.tile) + " of rank " + std::to_string(reason.rank) + ")";
    }
    return text;
}
} // namespace

task_error::task_error(const std::string &file, const failure &reason)
    : runtime_error{describe(file, reason)}, message_{reason.message}, kernel_{reason.kernel},
      where_{reason.where}, tile_{reason.tile}, rank_{reason.rank} {}

machine::machine(const registry &kernels, transport &between, machine_options options)
    : scheduler_{std::make_unique<scheduler>(kernels, between, options)} {}

machine::machine(const registry &kernels, machine_options options)
    : own_{make_local_transport()}, scheduler_{std::make_unique<scheduler>(kernels, *own_, options)} {}

machine::~machine() {
    if (!is_finished_ && std::uncaught_exceptions() == 0) {
        scheduler_->finish();
    }
}

result machine::evaluate(const source &program) {
    return wait(start(program));
}

std::uint64_t machine::start(const source &program) {
    return scheduler_->start(program);
}

result machine::wait(std::uint64_t program) {
    std::string file;
    value given = scheduler_->wait(program, file);
    if (given.is(object_kind::failure)) {
        throw task_error{file, given.as<failure>()};
    }
    return result{std::move(given)};
}

bool machine::is_complete(std::uint64_t program) const {
    return scheduler_->is_complete(program);
}

void machine::cancel(std::uint64_t program) {
    scheduler_->cancel(program);
}

bool machine::any_may_go_on() const {
    return std::ranges::any_of(waiting_, [this](const auto &each) { return is_complete(each.program); });
}

// Each routine goes on when the program that it waits for is complete; meanwhile the rank works.
void machine::run_until(const std::function<bool()> &has_ended) {
    while (!has_ended()) {
        if (waiting_.empty()) {
            throw std::logic_error{"run: the routine waits for something that is no program of this machine"};
        }
        scheduler_->work_until([this] { return any_may_go_on(); });
        const auto first =
            std::ranges::find_if(waiting_, [this](const auto &each) { return is_complete(each.program); });
        const std::coroutine_handle<> waiting = first->waiting;
        waiting_.erase(first);
        waiting.resume();
    }
}

void machine::finish() {
    is_finished_ = true;
    scheduler_->finish();
}

tile_place machine::place() const noexcept {
    return scheduler_->first_place();
}

machine_counts machine::counts() const {
    return scheduler_->counts();
}

std::vector<trace_event> machine::trace() const {
    return scheduler_->trace();
}

void machine::print_to(std::function<void(const std::string &)> printer) {
    scheduler_->print_to(std::move(printer));
}

} // namespace lisle::tasks
