// SPDX-License-Identifier: Apache-2.0
// A rank's locale is one that its threads use (uselocale), while the process's own stays what it was.
#include "launch/host/interpose/locale.hpp"

#include "base/text.hpp"
#include "launch/host/interpose/borrowed_environment.hpp"
#include "launch/host/process/exchanged.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace lisle::host {

namespace {

const real<"setlocale", char *(int, const char *)> real_setlocale;
const real<"newlocale", locale_t(int, const char *, locale_t)> real_newlocale;
const real<"duplocale", locale_t(locale_t)> real_duplocale;
const real<"uselocale", locale_t(locale_t)> real_uselocale;
const real<"localeconv", lconv *()> real_localeconv;

constexpr std::size_t categories = LC_IDENTIFICATION + 1;
constexpr std::array<const char *, categories> names{
    "LC_CTYPE", "LC_NUMERIC", "LC_TIME",    "LC_COLLATE",   "LC_MONETARY",    "LC_MESSAGES",      nullptr,
    "LC_PAPER", "LC_NAME",    "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};

/// A name for each category; that of LC_ALL says all.
using setting = std::array<std::string, categories>;

struct fiber_uses {
    using value = locale_t;
    static value read() { return real_uselocale(nullptr); }
    static void apply(value wanted) { real_uselocale(wanted); }
};
exchanged<fiber_uses> fiber_locale;

locale_t use(locale_t wanted) {
    return lisle_host_in_fiber() != 0 ? fiber_locale.change([=] { return real_uselocale(wanted); })
                                      : real_uselocale(wanted);
}

/// The text that setlocale returns for all categories.
std::string joined(const setting &all) {
    bool is_one = true;
    std::string text;
    for (std::size_t i = 0; i != categories; ++i) {
        if (i != LC_ALL) {
            is_one = is_one && all[i] == all[0];
            text += (i != 0 ? ";" : "") + std::string(names[i]) + "=" + all[i];
        }
    }
    return is_one ? all[0] : text;
}

class rank_locale {
  public:
    rank_locale() { set_.fill("C"); }

    char *set(int category, const char *name) {
        const std::scoped_lock lock(mutex_);
        if (name != nullptr && !change_locked(category, name)) {
            return nullptr;
        }
        return set_[static_cast<std::size_t>(category)].data();
    }
    /// The C library's object; the process's own if the rank has set nothing.
    locale_t current() {
        const std::scoped_lock lock(mutex_);
        return current_locked();
    }
    /// Whether this object is the rank's locale, or was it.
    bool owns(locale_t one) {
        const std::scoped_lock lock(mutex_);
        return std::ranges::any_of(made_, [one](const auto &each) { return each.second == one; });
    }
    lconv conventions{}; ///< localeconv's result

  private:
    locale_t current_locked() {
        const auto found = made_.find(set_[LC_ALL]);
        return found == made_.end() ? LC_GLOBAL_LOCALE : found->second;
    }
    bool change_locked(int category, const char *name) {
        setting wanted = set_;
        if (!choose(wanted, category, name)) {
            return false;
        }
        wanted[LC_ALL] = joined(wanted);
        if (wanted[LC_ALL] != "C" && made_.find(wanted[LC_ALL]) == made_.end()) {
            const locale_t made = make(wanted);
            if (made == nullptr) {
                return false;
            }
            made_.emplace(wanted[LC_ALL], made); // never freed: other threads of the rank may use it
        }
        const locale_t former = current_locked();
        set_ = wanted;
        if (real_uselocale(nullptr) == former) {
            use(current_locked());
        }
        return true;
    }
    static locale_t make(const setting &wanted) {
        locale_t made = real_newlocale(LC_ALL_MASK, "C", nullptr);
        for (std::size_t i = 0; made != nullptr && i != categories; ++i) {
            if (i != LC_ALL && wanted[i] != "C") {
                const locale_t next = real_newlocale(1 << i, wanted[i].c_str(), made);
                if (next == nullptr) {
                    freelocale(made);
                }
                made = next;
            }
        }
        return made;
    }
    /// The name that the rank's variables say, for an empty one.
    static std::string resolved(std::size_t category, std::string_view name) {
        if (name.empty()) {
            for (const char *variable : {"LC_ALL", names[category], "LANG"}) {
                const char *const value = std::getenv(variable);
                if (value != nullptr && *value != '\0') {
                    return resolved(category, value);
                }
            }
        }
        return name.empty() || name == "POSIX" ? "C" : std::string(name);
    }
    static bool choose(setting &wanted, int category, std::string_view name) {
        if (category != LC_ALL) {
            wanted[static_cast<std::size_t>(category)] = resolved(static_cast<std::size_t>(category), name);
            return true;
        }
        if (name.find(';') == std::string_view::npos) {
            for (std::size_t i = 0; i != categories; ++i) {
                if (i != LC_ALL) {
                    wanted[i] = resolved(i, name);
                }
            }
            return true;
        }
        return std::ranges::all_of(words_of(name, ";"), [&wanted](std::string_view each) {
            const std::size_t at = each.find('=');
            for (std::size_t i = 0; i != categories && at != std::string_view::npos; ++i) {
                if (i != LC_ALL && each.substr(0, at) == names[i]) {
                    wanted[i] = resolved(i, each.substr(at + 1));
                    return true;
                }
            }
            return false;
        });
    }

    std::mutex mutex_; ///< protects what is below
    setting set_;
    std::map<std::string, locale_t> made_;
};
const rank_slot<rank_locale> locales;

/// What the C library is to take for the locale that a program names.
locale_t meant_by(hosted_rank &rank, locale_t named) {
    return named == LC_GLOBAL_LOCALE ? locales.of(rank).current() : named;
}

} // namespace

void take_locale_of(hosted_rank &rank) {
    if (const locale_t own = locales.of(rank).current(); own != LC_GLOBAL_LOCALE) {
        real_uselocale(own);
    }
}

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

char *setlocale(int category, const char *name) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr || category < 0 || category > LC_IDENTIFICATION) {
        return real_setlocale(category, name);
    }
    return locales.of(*rank).set(category, name);
}

locale_t uselocale(locale_t wanted) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_uselocale(wanted);
    }
    const locale_t former = wanted == nullptr ? real_uselocale(nullptr) : use(meant_by(*rank, wanted));
    return locales.of(*rank).owns(former) ? LC_GLOBAL_LOCALE : former;
}

locale_t duplocale(locale_t original) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return real_duplocale(rank == nullptr ? original : meant_by(*rank, original));
}

locale_t newlocale(int which, const char *name, locale_t base) noexcept {
    const borrowed_environment variables(lisle::host::this_rank());
    return real_newlocale(which, name, base);
}

lconv *localeconv() noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_localeconv();
    }
    static std::mutex copying; // the C library fills one for all
    const std::scoped_lock lock(copying);
    lconv &own = locales.of(*rank).conventions;
    own = *real_localeconv();
    return &own;
}

// The C++ library's ways.
locale_t __uselocale(locale_t wanted) noexcept {
    return uselocale(wanted);
}
locale_t __duplocale(locale_t original) noexcept {
    return duplocale(original);
}
locale_t __newlocale(int which, const char *name, locale_t base) noexcept {
    return newlocale(which, name, base);
}

} // extern "C"
