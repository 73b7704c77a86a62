// SPDX-License-Identifier: Apache-2.0
// The codes that a rank's program has added, over the library's own classes. Added classes and codes share
// one sequence of numbers behind MPI_ERR_LASTCODE.
#include "communicator/error_codes.hpp"

#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/error_texts.hpp"
#include "execution/rank_local.hpp"
#include "mpi.h"

namespace lisle {

namespace {

/// Of the standard, or an extension: those have numbers below MPI_ERR_LASTCODE, too.
bool is_predefined_class(int code) noexcept {
    return code >= MPI_SUCCESS && code < MPI_ERR_LASTCODE && !error_class_name(code).empty();
}

class added_codes {
  public:
    int add(int error_class) {
        const std::scoped_lock lock{mutex_};
        const int code = last_ + 1;
        if (error_class == own_class) {
            entries_.emplace(code, entry{code, 0, {}});
        } else {
            check_class_locked(error_class);
            entries_.emplace(code, entry{error_class, 0, {}});
            count_codes_locked(error_class, 1);
        }
        last_ = code;
        return code;
    }

    void set_text(int code, std::string_view text) {
        const std::scoped_lock lock{mutex_};
        find_locked(code).text = text;
    }

    void remove(int code, bool as_class) {
        const std::scoped_lock lock{mutex_};
        const entry &removed = find_locked(code);
        if ((removed.error_class == code) != as_class) {
            fail(MPI_ERR_ARG, code,
                 as_class ? " is an error code, not a class" : " is an error class, not a code");
        }
        if (removed.codes != 0) {
            fail(MPI_ERR_ARG, "error class ", code, " still has ", removed.codes, " codes");
        }
        if (!removed.text.empty()) {
            fail(MPI_ERR_ARG, "error code ", code, " still has a text: call MPI_Remove_error_string first");
        }
        if (!as_class) {
            count_codes_locked(removed.error_class, -1);
        }
        entries_.erase(code);
        last_ = entries_.empty() ? MPI_ERR_LASTCODE : entries_.rbegin()->first;
    }

    /// The class of an added code, or MPI_UNDEFINED if nobody added it.
    int class_of(int code) const {
        const std::scoped_lock lock{mutex_};
        const auto found = entries_.find(code);
        return found != entries_.end() ? found->second.error_class : MPI_UNDEFINED;
    }

    std::string text_of(int code) const {
        const std::scoped_lock lock{mutex_};
        const auto found = entries_.find(code);
        return found != entries_.end() ? found->second.text : std::string{};
    }

    const int *last() const noexcept { return &last_; }

    static constexpr int own_class = -1; ///< for add(): the code is a class of its own

  private:
    struct entry {
        int error_class;
        int codes; ///< of a class: how many codes it has
        std::string text;
    };

    void count_codes_locked(int error_class, int difference) {
        const auto found = entries_.find(error_class);
        if (found != entries_.end()) { // the library's own classes stay anyway
            found->second.codes += difference;
        }
    }

    void check_class_locked(int error_class) const {
        const auto found = entries_.find(error_class);
        if (!is_predefined_class(error_class) &&
            (found == entries_.end() || found->second.error_class != error_class)) {
            fail(MPI_ERR_ARG, error_class, " is no error class");
        }
    }

    entry &find_locked(int code) {
        const auto found = entries_.find(code);
        if (found == entries_.end()) {
            fail(MPI_ERR_ARG, code, " is no error code that this program has added");
        }
        return found->second;
    }

    mutable std::mutex mutex_; ///< protects all below; the program may read last_ without it
    std::map<int, entry> entries_;
    int last_ = MPI_ERR_LASTCODE;
};

const rank_local<added_codes> codes;

} // namespace

int add_error_class() {
    return codes->add(added_codes::own_class);
}

int add_error_code(int error_class) {
    return codes->add(error_class);
}

void add_error_string(int code, std::string_view text) {
    if (text.size() >= MPI_MAX_ERROR_STRING) {
        fail(MPI_ERR_ARG, "the text has ", text.size(), " characters, but at most ", MPI_MAX_ERROR_STRING - 1,
             " are allowed");
    }
    codes->set_text(code, text);
}

void remove_error_class(int error_class) {
    codes->remove(error_class, true);
}

void remove_error_code(int code) {
    codes->remove(code, false);
}

void remove_error_string(int code) {
    codes->set_text(code, {});
}

bool is_error_code(int code) {
    return is_predefined_class(code) || codes->class_of(code) != MPI_UNDEFINED;
}

int class_of_error(int code) {
    if (is_predefined_class(code)) {
        return code;
    }
    const int error_class = codes->class_of(code);
    if (error_class == MPI_UNDEFINED) {
        fail(MPI_ERR_ARG, code, " is no error code");
    }
    return error_class;
}

std::string text_of_error(int code) {
    if (is_predefined_class(code)) {
        return std::string{error_text(code)};
    }
    static_cast<void>(class_of_error(code));
    return codes->text_of(code);
}

std::string error_name(int code) {
    return is_predefined_class(code) ? std::string{error_class_name(code)} : sentence("code ", code);
}

const int *last_used_code() {
    return codes->last();
}

} // namespace lisle
