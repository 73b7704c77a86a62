// SPDX-License-Identifier: Apache-2.0
// What the C++ library keeps for a process: the global locale, the handlers of std::terminate and operator
// new, the default memory resource. A rank's are its own. Names are the C++ ABI's.
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/real.hpp"

#include <atomic>
#include <clocale>
#include <locale>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <string>

namespace lisle::host {

namespace {

using handler = void (*)();

const real<"_ZNSt6localeC1Ev", void(std::locale *)> real_locale;
const real<"_ZSt13set_terminatePFvvE", handler(handler)> real_set_terminate;
const real<"_ZSt13get_terminatev", handler()> real_get_terminate;
const real<"_ZSt15set_new_handlerPFvvE", handler(handler)> real_set_new_handler;
const real<"_ZSt15get_new_handlerv", handler()> real_get_new_handler;
using resource = std::pmr::memory_resource;
const real<"_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE", resource *(resource *)>
    real_set_resource;
const real<"_ZNSt3pmr20get_default_resourceEv", resource *()> real_get_resource;

struct cxx_state {
    std::mutex mutex; ///< protects `global`
    std::optional<std::locale> global;
    // Relaxed: a program that sets one while other threads use it has a race of its own.
    std::atomic<handler> on_terminate{nullptr};
    std::atomic<handler> on_no_memory{nullptr};
    std::atomic<resource *> default_resource{nullptr};
};
const rank_slot<cxx_state> rank_cxx;

/// The process's handler before ranks ran: that of the library.
handler process_terminate() {
    static const handler before = real_get_terminate();
    return before;
}

void terminate_rank() {
    const handler own = rank_cxx.current().on_terminate.load(std::memory_order_relaxed);
    (own != nullptr ? own : process_terminate())();
}

void find_memory() {
    const handler own = rank_cxx.current().on_no_memory.load(std::memory_order_relaxed);
    if (own == nullptr) {
        throw std::bad_alloc();
    }
    own();
}

std::locale exchange_global(hosted_rank &rank, const std::locale &wanted) {
    cxx_state &own = rank_cxx.of(rank);
    std::locale former = std::locale::classic();
    {
        const std::scoped_lock lock(own.mutex);
        former = own.global.value_or(former);
        own.global = wanted;
    }
    if (wanted.name() != "*") {
        setlocale(LC_ALL, wanted.name().c_str());
    }
    return former;
}

/// std::locale::locale().
void make_locale(std::locale *place) noexcept {
    if (hosted_rank *const rank = this_rank()) {
        cxx_state &own = rank_cxx.of(*rank);
        const std::scoped_lock lock(own.mutex);
        if (own.global) {
            new (place) std::locale(*own.global);
            return;
        }
    }
    real_locale(place);
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

void lisle_locale(std::locale *place) noexcept asm("_ZNSt6localeC1Ev");
void lisle_locale(std::locale *place) noexcept {
    make_locale(place);
}
void lisle_base_locale(std::locale *place) noexcept asm("_ZNSt6localeC2Ev");
void lisle_base_locale(std::locale *place) noexcept {
    make_locale(place);
}

handler lisle_set_terminate(handler wanted) noexcept asm("_ZSt13set_terminatePFvvE");
handler lisle_set_terminate(handler wanted) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_set_terminate(wanted);
    }
    const handler before = process_terminate();
    const handler former = rank_cxx.of(*rank).on_terminate.exchange(wanted, std::memory_order_relaxed);
    real_set_terminate(&terminate_rank);
    return former != nullptr ? former : before;
}
handler lisle_get_terminate() noexcept asm("_ZSt13get_terminatev");
handler lisle_get_terminate() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_get_terminate();
    }
    const handler own = rank_cxx.of(*rank).on_terminate.load(std::memory_order_relaxed);
    return own != nullptr ? own : process_terminate();
}

handler lisle_set_new_handler(handler wanted) noexcept asm("_ZSt15set_new_handlerPFvvE");
handler lisle_set_new_handler(handler wanted) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_set_new_handler(wanted);
    }
    const handler former = rank_cxx.of(*rank).on_no_memory.exchange(wanted, std::memory_order_relaxed);
    real_set_new_handler(&find_memory);
    return former;
}
handler lisle_get_new_handler() noexcept asm("_ZSt15get_new_handlerv");
handler lisle_get_new_handler() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    // The library's operator new asks as well: of a thread of no rank, what was set for the process.
    return rank == nullptr ? real_get_new_handler()
                           : rank_cxx.of(*rank).on_no_memory.load(std::memory_order_relaxed);
}

resource *lisle_set_resource(resource *wanted) noexcept
    asm("_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE");
resource *lisle_set_resource(resource *wanted) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_set_resource(wanted);
    }
    resource *const former = rank_cxx.of(*rank).default_resource.exchange(wanted, std::memory_order_relaxed);
    return former != nullptr ? former : std::pmr::new_delete_resource();
}
resource *lisle_get_resource() noexcept asm("_ZNSt3pmr20get_default_resourceEv");
resource *lisle_get_resource() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_get_resource();
    }
    resource *const own = rank_cxx.of(*rank).default_resource.load(std::memory_order_relaxed);
    return own != nullptr ? own : std::pmr::new_delete_resource();
}

extern "C++" std::locale lisle_global(const std::locale &wanted) asm("_ZNSt6locale6globalERKS_");
extern "C++" std::locale lisle_global(const std::locale &wanted) {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        return exchange_global(*rank, wanted);
    }
    static const real<"_ZNSt6locale6globalERKS_", std::locale(const std::locale &)> real_global;
    return real_global(wanted);
}

} // extern "C"
