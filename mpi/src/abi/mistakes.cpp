// SPDX-License-Identifier: Apache-2.0
#include "abi/mistakes.hpp"

#include <cstdio>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "diagnosis/source_line.hpp"
#include "execution/rank.hpp"
#include "execution/rank_local.hpp"

namespace lisle::abi {

namespace {

constexpr std::size_t most_of_rank = 20;

struct said {
    std::mutex mutex; ///< protects `lines`
    std::set<std::string> lines;
};
const rank_local<said> said_by;

} // namespace

std::string in_words(const code_place &place) {
    return place.file.empty() ? std::string{} : source_line(place.file, place.offsets);
}

std::string in_words(const call_place &place) {
    const std::string call{place.call.empty() ? "a call" : place.call};
    return place.site.file.empty() ? call : sentence(call, " at ", in_words(place.site));
}

std::string in_words(const call_address &place) {
    return in_words(place_of(place));
}

std::string line_of(const void *caller) {
    const code_place place = place_of(static_cast<const char *>(caller) - 1);
    return place.file.empty() ? sentence(caller) : in_words(place);
}

void report_mistake(const std::string &about) {
    said &already = *said_by;
    const std::scoped_lock guard{already.mutex};
    if (already.lines.size() > most_of_rank || !already.lines.insert(about).second) {
        return;
    }
    const std::string line =
        already.lines.size() > most_of_rank
            ? sentence("lisle: rank ", this_rank().number(), ": more mistakes are not listed\n")
            : sentence("lisle: rank ", this_rank().number(), ": ", about, "\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace lisle::abi
