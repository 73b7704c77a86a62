// SPDX-License-Identifier: Apache-2.0
// POSIX's and GNU's rules in one scanner: short options from `letters`, long ones from `longs`, arguments
// permuted so that options come first unless '+', POSIXLY_CORRECT or '-' say otherwise.
#include "launch/host/interpose/getopt.hpp"

#include "launch/host/image/private_object.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <string>

namespace lisle::host {

namespace {

enum class order { permute, require, in_place };
enum class long_form { none, doubled, single };

struct call {
    option_state &state;
    int count;
    char **arguments;
    const char *letters; ///< without the characters that say the order
    const option *longs;
    int *which;
    order arrangement;
    bool quiet; ///< the first letter is ':': no messages, and a missing argument has a result of its own
};

void complain(const call &now, const std::string &what) {
    if (*now.state.error != 0 && !now.quiet) {
        std::fprintf(stderr, "%s: %s\n", now.arguments[0], what.c_str());
    }
}

bool is_option(const char *text) {
    return text[0] == '-' && text[1] != '\0';
}

/// Moves the non-options passed over behind the options that followed them.
void exchange(const call &now) {
    option_state &state = now.state;
    std::rotate(now.arguments + state.first_passed, now.arguments + state.last_passed,
                now.arguments + *state.index);
    state.first_passed += *state.index - state.last_passed;
    state.last_passed = *state.index;
}

/// Finds the next option in argv. Returns 0 if `state.next` holds it, otherwise what getopt returns.
int advance(const call &now) {
    option_state &state = now.state;
    int &index = *state.index;
    state.last_passed = std::min(state.last_passed, index);
    state.first_passed = std::min(state.first_passed, index);
    if (now.arrangement == order::permute) {
        if (state.first_passed != state.last_passed && state.last_passed != index) {
            exchange(now);
        } else if (state.last_passed != index) {
            state.first_passed = index;
        }
        while (index < now.count && !is_option(now.arguments[index])) {
            ++index;
        }
        state.last_passed = index;
    }
    if (index < now.count && std::strcmp(now.arguments[index], "--") == 0) {
        ++index;
        if (state.first_passed != state.last_passed && state.last_passed != index) {
            exchange(now);
        } else if (state.first_passed == state.last_passed) {
            state.first_passed = index;
        }
        state.last_passed = now.count;
        index = now.count;
    }
    if (index >= now.count) {
        if (state.first_passed != state.last_passed) {
            index = state.first_passed;
        }
        return -1;
    }
    if (!is_option(now.arguments[index])) {
        if (now.arrangement == order::require) {
            return -1;
        }
        *state.argument = now.arguments[index++];
        return 1;
    }
    state.next = now.arguments[index] + 1;
    return 0;
}

/// The index of the long option with this name, or of the only one (or equivalent ones) that begins with it.
/// -1: none, -2: several.
int find_long(const option *longs, const char *name, std::size_t length) {
    int found = -1;
    for (int i = 0; longs[i].name != nullptr; ++i) {
        if (std::strncmp(longs[i].name, name, length) != 0) {
            continue;
        }
        if (std::strlen(longs[i].name) == length) {
            return i;
        }
        const bool same = found >= 0 && longs[found].has_arg == longs[i].has_arg &&
                          longs[found].flag == longs[i].flag && longs[found].val == longs[i].val;
        found = found == -1 || same ? (found == -1 ? i : found) : -2;
    }
    return found;
}

std::string quoted(const std::string &dashes, const char *name) {
    return "'" + dashes + name + "'";
}

std::string possibilities(const call &now, const std::string &dashes, const char *name, std::size_t length) {
    std::string all;
    for (const option *each = now.longs; each->name != nullptr; ++each) {
        if (std::strncmp(each->name, name, length) == 0) {
            all += " " + quoted(dashes, each->name);
        }
    }
    return all;
}

/// `name` follows the dashes, which are given for messages.
int take_long(const call &now, const std::string &dashes, const char *name) {
    option_state &state = now.state;
    state.next = nullptr;
    ++*state.index;
    const std::size_t length = std::strcspn(name, "=");
    const int found = find_long(now.longs, name, length);
    *state.option = 0;
    if (found < 0) {
        const std::string given = "option " + quoted(dashes, name);
        complain(now,
                 found == -1
                     ? "unrecognized " + given
                     : given + " is ambiguous; possibilities:" + possibilities(now, dashes, name, length));
        return '?';
    }
    const option &entry = now.longs[found];
    *state.argument = nullptr;
    if (name[length] == '=') {
        if (entry.has_arg == no_argument) {
            complain(now, "option " + quoted(dashes, entry.name) + " doesn't allow an argument");
            *state.option = entry.val;
            return '?';
        }
        *state.argument = const_cast<char *>(name + length + 1);
    } else if (entry.has_arg == required_argument) {
        if (*state.index >= now.count) {
            complain(now, "option " + quoted(dashes, entry.name) + " requires an argument");
            *state.option = entry.val;
            return now.quiet ? ':' : '?';
        }
        *state.argument = now.arguments[(*state.index)++];
    }
    if (now.which != nullptr) {
        *now.which = found;
    }
    if (entry.flag != nullptr) {
        *entry.flag = entry.val;
        return 0;
    }
    return entry.val;
}

int take_letter(const call &now) {
    option_state &state = now.state;
    const char letter = *state.next++;
    const char *const known = letter == ':' || letter == ';' ? nullptr : std::strchr(now.letters, letter);
    if (*state.next == '\0') {
        state.next = nullptr;
        ++*state.index;
    }
    const std::string name = "'" + std::string(1, letter) + "'";
    if (known == nullptr) {
        complain(now, "invalid option -- " + name);
        *state.option = letter;
        return '?';
    }
    *state.argument = nullptr;
    if (known[1] != ':') {
        return letter;
    }
    if (state.next != nullptr) { // the rest of this word is the argument
        *state.argument = const_cast<char *>(state.next);
        state.next = nullptr;
        ++*state.index;
    } else if (known[2] != ':') {
        if (*state.index >= now.count) {
            complain(now, "option requires an argument -- " + name);
            *state.option = letter;
            return now.quiet ? ':' : '?';
        }
        *state.argument = now.arguments[(*state.index)++];
    }
    return letter;
}

int scan(option_state &state, int count, char *const *arguments, const char *letters, const option *longs,
         int *which, long_form form) {
    order arrangement = std::getenv("POSIXLY_CORRECT") != nullptr ? order::require : order::permute;
    if (*letters == '-' || *letters == '+') {
        arrangement = *letters++ == '-' ? order::in_place : order::require;
    }
    const call now{state,       count,          const_cast<char **>(arguments), letters, longs, which,
                   arrangement, *letters == ':'};
    if (count < 1) {
        return -1;
    }
    *state.argument = nullptr;
    if (*state.index == 0 || !state.started) { // 0 asks for a fresh start
        *state.index = std::max(*state.index, 1);
        state.first_passed = state.last_passed = *state.index;
        state.next = nullptr;
        state.started = true;
    }
    if (state.next == nullptr || *state.next == '\0') {
        if (const int result = advance(now); result != 0) {
            return result;
        }
        const char *const word = arguments[*state.index];
        if (longs != nullptr && word[1] == '-') {
            return take_long(now, "--", word + 2);
        }
        const bool may_be_long =
            form == long_form::single && (word[2] != '\0' || std::strchr(letters, word[1]) == nullptr);
        if (may_be_long && (find_long(longs, word + 1, std::strcspn(word + 1, "=")) != -1 ||
                            std::strchr(letters, word[1]) == nullptr)) {
            return take_long(now, "-", word + 1);
        }
    }
    return take_letter(now);
}

template <auto Member, class Value> void place_variable(hosted_rank &rank, void *place) {
    Value *const variable = static_cast<Value *>(place);
    option_state &options = rank_options.of(rank);
    *variable = *(options.*Member);
    options.*Member = variable;
}

const private_objects option_objects{
    {"optind", sizeof(int), &place_variable<&option_state::index, int>},
    {"opterr", sizeof(int), &place_variable<&option_state::error, int>},
    {"optopt", sizeof(int), &place_variable<&option_state::option, int>},
    {"optarg", sizeof(char *), &place_variable<&option_state::argument, char *>},
};

using long_function = int(int, char *const[], const char *, const option *, int *);
const real<"getopt", int(int, char *const[], const char *)> real_getopt;
const real<"getopt_long", long_function> real_getopt_long;
const real<"getopt_long_only", long_function> real_getopt_long_only;

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

int getopt(int count, char *const arguments[], const char *letters) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_getopt(count, arguments, letters)
               : scan(rank_options.of(*rank), count, arguments, letters, nullptr, nullptr, long_form::none);
}

int getopt_long(int count, char *const arguments[], const char *letters, const option *longs,
                int *which) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_getopt_long(count, arguments, letters, longs, which)
               : scan(rank_options.of(*rank), count, arguments, letters, longs, which, long_form::doubled);
}

int getopt_long_only(int count, char *const arguments[], const char *letters, const option *longs,
                     int *which) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_getopt_long_only(count, arguments, letters, longs, which)
               : scan(rank_options.of(*rank), count, arguments, letters, longs, which, long_form::single);
}

} // extern "C"
