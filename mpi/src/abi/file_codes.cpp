// SPDX-License-Identifier: Apache-2.0
#include "abi/file_codes.hpp"

#include <utility>

#include "abi/mistakes.hpp"
#include "base/error.hpp"

namespace lisle::abi {

void file_codes::returned(int code, std::string about) {
    const std::scoped_lock guard{mutex_};
    if (list_.size() < most) {
        list_.push_back({code, std::move(about), current_address()});
    }
}

void file_codes::asked(int code) {
    const std::scoped_lock guard{mutex_};
    std::erase_if(list_, [code](const unasked &each) { return each.code == code; });
}

void file_codes::report() {
    std::vector<unasked> left;
    {
        const std::scoped_lock guard{mutex_};
        left = std::exchange(list_, {});
    }
    for (const unasked &each : left) {
        report_mistake(sentence("note: an error came as a code that the program has not asked about, at ",
                                in_words(place_of(each.place).site), ": ", each.about,
                                " (files return codes unless MPI_File_set_errhandler says otherwise)"));
    }
}

} // namespace lisle::abi
