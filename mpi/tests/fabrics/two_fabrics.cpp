// SPDX-License-Identifier: Apache-2.0
// A composition root for tests, in the place of mpi/src/library/host_process.cpp: the thread or fiber ranks
// of one process are divided into two halves, each a process of the job as far as the library knows, and all
// packets go over two toy fabrics: one carries what stays within a half, the other what passes between them.
// They differ in all that fabrics may differ in, so that what a program does shows nothing of its fabrics.
// LISLE_TEST_FABRIC=plain gives both halves the one fabric of plain_fabric.hpp instead.
#include "two_fabrics.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/error.hpp"
#include "execution/fiber_worker.hpp"
#include "library/host_interface.h"
#include "library/process.hpp"
#include "mpi.h"
#include "plain_fabric.hpp"
#include "toy_fabric.hpp"
#include "world/launched_bootstrap.hpp"
#include "world/process_record.hpp"

using namespace lisle;
using fabric::local::node_segment;

namespace {

constexpr int halves = 2;

/// What one half knows of the job: as the launcher knows it, but for its ranks.
class half_bootstrap final : public bootstrap {
  public:
    half_bootstrap(bootstrap &whole, const job_shape &shape, int half)
        : whole_{whole}, places_{shape}, half_{half} {}

    [[nodiscard]] process_id self() const noexcept override { return {whole_.self().job, half_}; }
    [[nodiscard]] const locality &places() const noexcept override { return places_; }
    [[nodiscard]] bool reports_ends() const noexcept override { return true; }
    [[nodiscard]] int pid_of(int) const noexcept override { return getpid(); }
    // Toy fabrics have no addresses to exchange.
    void put(std::string_view key, std::span<const std::byte>) override { refuse(key); }
    [[nodiscard]] std::vector<std::byte> get(int, std::string_view key) override { refuse(key); }
    void fence() override { refuse("fence"); }
    void report(int rank, rank_progress to) noexcept override { whole_.report(rank, to); }
    void report_exit(int rank, int status) noexcept override { whole_.report_exit(rank, status); }
    void report_fault(int rank, int signal, std::uintptr_t address) noexcept override {
        whole_.report_fault(rank, signal, address);
    }
    void abort(int rank, int code, abort_cause cause) noexcept override { whole_.abort(rank, code, cause); }

  private:
    [[noreturn]] static void refuse(std::string_view what) {
        fail(MPI_ERR_OTHER, "halves of a process exchange nothing before they send messages: ", what);
    }

    bootstrap &whole_;
    const locality places_;
    const int half_;
};

job_shape halved(const locality &whole) {
    const int ranks = whole.ranks(), workers = whole.worker_count(0);
    if (whole.processes() != 1 || ranks < halves || workers % halves != 0) {
        fail(MPI_ERR_OTHER, "two fabrics divide the ranks of one process, and an even number of workers");
    }
    const int first = workers != 0 ? whole.worker_begin(0, workers / halves) : ranks / halves;
    return {.ranks_of_process = {first, ranks - first},
            .workers_of_process = {workers / halves, workers / halves}};
}

class divided_process {
  public:
    divided_process()
        : start_{job_table::attach(own_record().table.value()), 0}, shape_{halved(start_.places())},
          segment_{node_segment::create(shape_)} {
        for (auto &each : exchanges_) {
            each = std::make_shared<toy::exchange>(shape_.ranks());
        }
        for (int half = 0; half < halves; ++half) {
            halves_[static_cast<std::size_t>(half)] =
                std::make_unique<process>(std::make_unique<half_bootstrap>(start_, shape_, half),
                                          node_segment::attach(dup(segment_.descriptor())), makers_for(half));
        }
    }

    [[nodiscard]] static divided_process &instance() {
        static divided_process *const only = [] {
            try {
                return new divided_process;
            } catch (const mpi_error &error) {
                std::fprintf(stderr, "two fabrics: %s\n", error.what());
                _exit(EXIT_FAILURE);
            }
        }();
        return *only;
    }

    [[nodiscard]] process &half(int which) { return *halves_[static_cast<std::size_t>(which)]; }
    [[nodiscard]] process &half_of(int rank) { return half(rank < shape_.ranks_of_process[0] ? 0 : 1); }
    [[nodiscard]] int ranks() const { return shape_.ranks(); }
    [[nodiscard]] int workers() const { return halves * shape_.workers_of_process[0]; }
    [[nodiscard]] bootstrap &start() { return start_; }
    [[nodiscard]] toy::exchange &exchange(int which) { return *exchanges_[static_cast<std::size_t>(which)]; }
    void kill(int which) {
        for (int rank = 0; rank < ranks(); ++rank) {
            exchange(which).kill(rank, segment_);
        }
    }

  private:
    std::vector<fabric_maker> makers_for(int half) {
        if (const char *const chosen = std::getenv("LISLE_TEST_FABRIC"); chosen != nullptr) {
            return {[all = queues_](node_segment &segment, const bootstrap &) {
                return std::make_unique<plain::plain_fabric>(all, segment);
            }};
        }
        using by = fabric::waking::by;
        const int first = shape_.ranks_of_process[0];
        const auto within = [half, first](int rank) { return (rank < first ? 0 : 1) == half; };
        const auto between = [within](int rank) { return !within(rank); };
        return {maker(fabric_within_half, {.largest_payload = 500,
                                           .eager = 300,
                                           .reads = true,
                                           .wakes = by::polling,
                                           .serves = within}),
                maker(fabric_between_halves,
                      {.largest_payload = 1200, .wakes = by::descriptor, .serves = between})};
    }
    fabric_maker maker(int which, const toy::character &nature) {
        return [shared = exchanges_[static_cast<std::size_t>(which)],
                nature](node_segment &segment, const bootstrap &) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<toy::toy_fabric>(shared, segment, nature);
        };
    }

    launched_bootstrap start_;
    const job_shape shape_;
    const node_segment segment_;
    std::array<std::shared_ptr<toy::exchange>, 2> exchanges_;
    const std::shared_ptr<plain::queues> queues_ =
        std::make_shared<plain::queues>(static_cast<std::size_t>(shape_.ranks()));
    std::array<std::unique_ptr<process>, halves> halves_;
};

fiber_stacks *stacks = nullptr;

} // namespace

int lisle_host_rank_count(void) {
    return divided_process::instance().ranks();
}
int lisle_host_first_rank(void) {
    return 0;
}
int lisle_host_has_simulated_time(void) {
    return 0;
}
int lisle_host_worker_count(void) {
    return divided_process::instance().workers();
}

const char *lisle_host_reserve_stacks(void) {
    try {
        stacks = new fiber_stacks{static_cast<std::size_t>(lisle_host_rank_count()),
                                  fiber_stacks::promised_bytes()};
        return nullptr;
    } catch (const mpi_error &error) {
        static const std::string reason = error.what();
        return reason.c_str();
    }
}

void lisle_host_run_worker(int number, void (*run)(void *, int), void *argument, void **(*place_of_extra)()) {
    divided_process &all = divided_process::instance();
    const int workers_of_half = all.workers() / halves;
    const job &here = all.half(number / workers_of_half).get_job();
    const int worker = number % workers_of_half;
    fiber_worker thread{
        here.bells_of_worker(worker),
        here.first_rank() + here.places().worker_begin(here.process(), worker),
        *stacks,
        {.run = run, .argument = argument, .place_of_extra = place_of_extra, .clock = &here.clock()}};
    thread.run();
}

lisle_rank *lisle_host_begin_rank(int index) {
    process &half = divided_process::instance().half_of(index);
    try {
        rank &begun = half.enter(index - half.get_job().first_rank());
        become(&begun);
        return reinterpret_cast<lisle_rank *>(&begun);
    } catch (const mpi_error &error) {
        std::fprintf(stderr, "two fabrics: %s\n", error.what());
        abort_job(half.get_job(), index, EXIT_FAILURE);
    }
}

void lisle_host_prepare_for_fault() {}

void lisle_host_record_fault(int rank_number, int signal, const void *address) {
    divided_process::instance().start().report_fault(rank_number, signal,
                                                     reinterpret_cast<std::uintptr_t>(address));
}

long two_fabrics_packets(int which) {
    return divided_process::instance().exchange(which).packets_sent.load();
}
long two_fabrics_bytes_read(int which) {
    return divided_process::instance().exchange(which).bytes_read.load();
}
void two_fabrics_kill(int which) {
    divided_process::instance().kill(which);
}
