// SPDX-License-Identifier: Apache-2.0
// What the C library keeps between calls: numbers, tables, times, code.
#include "rows.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <getopt.h>
#include <glob.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <search.h>
#include <unistd.h>
#include <wordexp.h>

namespace rows {

namespace {

/// Whether a sequence that begins with the rank's seed is what the seed gives, although all ranks draw.
template <class Seed, class Draw> outcome draw(Seed seed, Draw next) {
    seed();
    const auto first = next();
    const auto second = next();
    meet();
    seed();
    meet();
    const bool begins = next() == first;
    meet();
    return is_own(begins && next() == second);
}

/// The result of a call stays although other ranks call, too. @param call returns text
template <class Call> outcome keep(Call call) {
    const char *const result = call();
    const std::string before = result != nullptr ? result : "";
    meet();
    meet();
    return is_own(result != nullptr && before == result);
}

int global = 5;

} // namespace

const std::vector<row> of_library{
    {"global and static variables",
     [] {
         static int local = 0;
         global = rank;
         local = rank;
         meet();
         return is_own(global == rank && local == rank);
     }},
    {"errno",
     [] {
         meet();
         errno = rank + 1;
         for (int i = 0; i != 10; ++i) {
             sched_yield(); // to others, which set theirs
         }
         return is_own(errno == rank + 1);
     }},
    {"rand",
     [] { return draw([] { std::srand(static_cast<unsigned>(rank)); }, [] { return std::rand(); }); }},
    {"random", [] { return draw([] { srandom(static_cast<unsigned>(rank)); }, [] { return random(); }); }},
    {"drand48", [] { return draw([] { srand48(rank); }, [] { return drand48(); }); }},
    {"lrand48", [] { return draw([] { srand48(rank); }, [] { return lrand48(); }); }},
    {"initstate",
     [] {
         static char state[64];
         return draw([] { initstate(static_cast<unsigned>(rank), state, sizeof state); },
                     [] { return random(); });
     }},
    {"rand_r",
     [] {
         static unsigned seed = 0;
         return draw([] { seed = static_cast<unsigned>(rank); }, [] { return rand_r(&seed); });
     }},
    {"strtok",
     [] {
         std::string words = "a" + std::to_string(rank) + " b" + std::to_string(rank);
         std::strtok(words.data(), " ");
         meet();
         const char *const second = std::strtok(nullptr, " ");
         return is_own(second != nullptr && "b" + std::to_string(rank) == second);
     }},
    {"hsearch",
     [] {
         hcreate(8);
         static char key[] = "key";
         hsearch({key, &rank}, ENTER);
         meet();
         const ENTRY *const found = hsearch({key, nullptr}, FIND);
         const bool holds = found != nullptr && found->data == &rank;
         meet();
         hdestroy();
         return is_own(holds);
     }},
    {"tsearch",
     [] {
         static void *root = nullptr;
         static int own = 0;
         own = rank;
         const auto compare = [](const void *one, const void *other) {
             return *static_cast<const int *>(one) - *static_cast<const int *>(other);
         };
         tsearch(&own, &root, compare);
         meet();
         return is_own(tfind(&own, &root, compare) != nullptr);
     }},
    {"getopt",
     [] {
         char name[] = "name";
         char first[] = "-a";
         char second[] = "-b";
         char *words[] = {name, first, second, nullptr};
         optind = 1;
         const int one = getopt(3, words, "ab");
         meet();
         const int other = getopt(3, words, "ab");
         return is_own(one == 'a' && other == 'b' && optind == 3);
     }},
    {"signgam",
     [] {
         lgamma(rank % 2 != 0 ? -0.5 : 0.5);
         meet();
         return is_own(signgam == (rank % 2 != 0 ? -1 : 1));
     }},
    {"TZ, tzset, timezone",
     [] {
         setenv("TZ", ("ZON-" + std::to_string(rank)).c_str(), 1);
         tzset();
         meet();
         return is_own(timezone == -3600L * rank);
     }},
    {"localtime",
     [] {
         const std::time_t noon = 12 * 3600;
         const std::tm *const found = std::localtime(&noon);
         meet();
         return is_own(found->tm_hour == 12 + rank);
     }},
    {"gmtime",
     [] {
         const std::time_t day = rank * 86400L;
         const std::tm *const found = std::gmtime(&day);
         meet();
         return is_own(found->tm_mday == rank + 1);
     }},
    {"ctime",
     [] {
         return keep([] {
             const std::time_t day = rank * 86400L;
             return std::ctime(&day);
         });
     }},
    {"asctime",
     [] {
         return keep([] {
             std::tm day{};
             day.tm_mday = rank + 1;
             return std::asctime(&day);
         });
     }},
    {"strftime",
     [] {
         const std::time_t noon = 12 * 3600;
         char text[8];
         meet();
         std::strftime(text, sizeof text, "%H", std::localtime(&noon));
         return is_own(std::to_string(12 + rank) == text);
     }},
    {"mktime",
     [] {
         std::tm noon{};
         noon.tm_year = 70;
         noon.tm_mday = 1;
         noon.tm_hour = 12;
         meet();
         return is_own(std::mktime(&noon) == (12 - rank) * 3600L);
     }},
    {"wordexp",
     [] {
         setenv("LISLE_WORD", named("w").c_str(), 1);
         meet();
         wordexp_t found{};
         const bool holds = wordexp("$LISLE_WORD", &found, 0) == 0 && named("w") == found.we_wordv[0];
         wordfree(&found);
         return is_own(holds);
     }},
    {"tempnam, TMPDIR",
     [] {
         setenv("TMPDIR", folder.c_str(), 1);
         const auto call =
             reinterpret_cast<char *(*)(const char *, const char *)>(dlsym(RTLD_DEFAULT, "tempnam"));
         char *const name = call(nullptr, "x");
         const bool holds = std::string(name).compare(0, folder.size(), folder) == 0;
         std::free(name);
         return is_own(holds);
     }},
    {"tmpnam(NULL)",
     [] {
         return keep(
             [] { return reinterpret_cast<char *(*)(char *)>(dlsym(RTLD_DEFAULT, "tmpnam"))(nullptr); });
     }},
    {"malloc",
     [] {
         int *const own = static_cast<int *>(std::malloc(sizeof(int)));
         *own = rank;
         meet();
         const bool holds = *own == rank;
         std::free(own);
         return is_own(holds);
     }},
    {"dlopen and dlsym",
     [] {
         void *const program = dlopen(nullptr, RTLD_NOW);
         return is_own(program != nullptr && dlsym(program, "printf") != nullptr);
     }},
    {"dladdr",
     [] {
         Dl_info found{};
         const bool holds = dladdr(&global, &found) != 0;
         return is_own(holds && std::strstr(found.dli_fname, "process_state") != nullptr);
     }},
    {"dlerror",
     [] {
         dlopen(named("missing").c_str(), RTLD_NOW);
         meet();
         const char *const said = dlerror();
         return is_own(said != nullptr && std::strstr(said, named("missing").c_str()) != nullptr);
     }},
    {"dl_iterate_phdr",
     [] {
         int programs = 0;
         dl_iterate_phdr(
             [](dl_phdr_info *object, std::size_t, void *count) {
                 const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0' ||
                                         std::strstr(object->dlpi_name, "process_state") != nullptr;
                 *static_cast<int *>(count) += is_program ? 1 : 0;
                 return 0;
             },
             &programs);
         return is_own(programs == 1);
     }},
};

} // namespace rows
