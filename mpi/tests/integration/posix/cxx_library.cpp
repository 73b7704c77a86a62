// SPDX-License-Identifier: Apache-2.0
// What the C++ library keeps for a process.
#include "rows.hpp"

#include <exception>
#include <iomanip>
#include <iostream>
#include <locale>
#include <memory_resource>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <typeinfo>

namespace rows {

namespace {

/// Writes numbers with a sign of the rank's between thousands.
struct grouped : std::numpunct<char> {
    [[nodiscard]] char do_thousands_sep() const override { return static_cast<char>('a' + rank); }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

struct counted {
    static inline int made = 0;
    counted() { ++made; }
};
counted one_static;

template <class T> struct in_template { static inline int value = 0; };

struct own_resource : std::pmr::memory_resource {
    int asked = 0;
    void *do_allocate(std::size_t bytes, std::size_t) override {
        ++asked;
        return ::operator new(bytes);
    }
    void do_deallocate(void *place, std::size_t, std::size_t) override { ::operator delete(place); }
    [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override {
        return this == &other;
    }
};

void on_terminate() {}
void on_no_memory() {
    throw std::runtime_error("rank " + std::to_string(rank));
}

} // namespace

const std::vector<row> of_cxx{
    {"constructors of static objects", [] { return is_own(counted::made == 1); }},
    {"static members of templates",
     [] {
         in_template<int>::value = rank;
         meet();
         return is_own(in_template<int>::value == rank);
     }},
    {"state of std::cout",
     [] {
         std::cout << std::setprecision(rank + 1);
         meet();
         const bool holds = std::cout.precision() == rank + 1;
         std::cout << std::setprecision(6);
         return is_own(holds);
     }},
    {"std::locale::global",
     [] {
         const std::locale before = std::locale::global(std::locale(std::locale::classic(), new grouped));
         meet();
         std::ostringstream text;
         text << 1234;
         const bool holds = text.str() == "1" + std::string(1, static_cast<char>('a' + rank)) + "234";
         meet();
         std::locale::global(before);
         std::ostringstream plain;
         plain << 1234;
         return is_own(holds && plain.str() == "1234");
     }},
    {"std::set_terminate",
     [] {
         const std::terminate_handler before = std::set_terminate(&on_terminate);
         meet();
         const bool holds = std::get_terminate() == &on_terminate;
         meet();
         std::set_terminate(before);
         return is_own(holds);
     }},
    {"std::set_new_handler",
     [] {
         std::set_new_handler(&on_no_memory);
         meet();
         std::string said;
         try {
             volatile std::size_t much = std::size_t{1} << 60;
             ::operator delete(::operator new(much));
         } catch (const std::exception &error) {
             said = error.what();
         }
         meet();
         std::set_new_handler(nullptr);
         return is_own(said == "rank " + std::to_string(rank));
     }},
    {"std::pmr::set_default_resource",
     [] {
         static own_resource own;
         std::pmr::set_default_resource(&own);
         meet();
         { const std::pmr::string text(100, 'x'); }
         const bool holds = own.asked == 1 && std::pmr::get_default_resource() == &own;
         meet();
         std::pmr::set_default_resource(nullptr);
         return is_own(holds);
     }},
    {"exceptions",
     [] {
         int caught = -1;
         try {
             throw rank;
         } catch (const int value) {
             meet(); // while it is handled
             caught = value;
         }
         return is_own(caught == rank && std::uncaught_exceptions() == 0);
     }},
    {"std::current_exception",
     [] {
         std::exception_ptr kept;
         try {
             throw std::runtime_error(named("e"));
         } catch (...) {
             meet();
             kept = std::current_exception();
         }
         meet();
         try {
             std::rethrow_exception(kept);
         } catch (const std::exception &error) {
             return is_own(named("e") == error.what());
         }
         return outcome::shared;
     }},
    {"std::call_once",
     [] {
         static std::once_flag flag;
         static int times = 0;
         std::call_once(flag, [] { ++times; });
         return is_own(times == 1);
     }},
    {"std::thread",
     [] {
         static int own = 0;
         std::thread([] { own = rank + 1; }).join();
         meet();
         return is_own(own == rank + 1);
     }},
    {"type information",
     [] {
         const std::pmr::memory_resource *const resource = std::pmr::new_delete_resource();
         return is_own(dynamic_cast<const own_resource *>(resource) == nullptr &&
                       typeid(own_resource) != typeid(*resource));
     }},
};

} // namespace rows
