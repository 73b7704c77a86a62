// SPDX-License-Identifier: Apache-2.0
// Small functions that return a text in static memory, or keep the state of a conversion there: each rank has
// its own.
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/made_when_used.hpp"
#include "launch/host/rank/real.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <libintl.h>
#include <mntent.h>
#include <mutex>
#include <string>
#include <unistd.h>

namespace lisle::host {

namespace {

const real<"strerror", char *(int)> real_strerror;
const real<"strsignal", char *(int)> real_strsignal;
const real<"ttyname", char *(int)> real_ttyname;
const real<"ptsname", char *(int)> real_ptsname;
const real<"l64a", char *(long)> real_l64a;
const real<"tmpnam", char *(char *)> real_tmpnam;
const real<"getmntent", mntent *(std::FILE *)> real_getmntent;
const real<"mbrtowc", std::size_t(wchar_t *, const char *, std::size_t, mbstate_t *)> real_mbrtowc;
const real<"mbrlen", std::size_t(const char *, std::size_t, mbstate_t *)> real_mbrlen;
const real<"wcrtomb", std::size_t(char *, wchar_t, mbstate_t *)> real_wcrtomb;
const real<"mbsrtowcs", std::size_t(wchar_t *, const char **, std::size_t, mbstate_t *)> real_mbsrtowcs;
const real<"wcsrtombs", std::size_t(char *, const wchar_t **, std::size_t, mbstate_t *)> real_wcsrtombs;
const real<"ecvt", char *(double, int, int *, int *)> real_ecvt;
const real<"fcvt", char *(double, int, int *, int *)> real_fcvt;
const real<"textdomain", char *(const char *)> real_textdomain;
const real<"dcgettext", char *(const char *, const char *, int)> real_dcgettext;
const real<"dcngettext", char *(const char *, const char *, const char *, unsigned long, int)>
    real_dcngettext;

using kept_text = std::array<char, 1024>;

struct texts {
    kept_text error{}, signal{}, terminal{}, base64{}, file{}, digits{}, mount{};
    mntent mounted{};
    mbstate_t to_wide{}, from_wide{}, length{}, many_to_wide{}, many_from_wide{}; ///< of each function
    std::string domain; ///< textdomain's; empty: none
};
const rank_slot<made_when_used<texts>> rank_texts;

texts &texts_of(hosted_rank &rank) {
    return *rank_texts.of(rank);
}

/// Copies what a function of the C library returns, whose memory is all ranks'.
char *kept(kept_text &own, const char *returned) {
    if (returned == nullptr) {
        return nullptr;
    }
    const std::size_t size = std::min(std::strlen(returned), own.size() - 1);
    std::memcpy(own.data(), returned, size);
    own[size] = '\0';
    return own.data();
}

/// The same for a call that writes there: one at a time.
template <class Call> char *kept_of(kept_text &own, Call call) {
    static std::mutex calling;
    const std::scoped_lock lock(calling);
    return kept(own, call());
}

/// The state that a call names, or the rank's own for this function.
template <class Member> mbstate_t *state(hosted_rank *rank, mbstate_t *named, Member member) {
    return named != nullptr || rank == nullptr ? named : &(texts_of(*rank).*member);
}

const char *domain(const char *named) {
    hosted_rank *const rank = this_rank();
    if (named != nullptr || rank == nullptr || texts_of(*rank).domain.empty()) {
        return named;
    }
    return texts_of(*rank).domain.c_str();
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

char *strerror(int number) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_strerror(number);
    }
    kept_text &own = texts_of(*rank).error;
    const int before = errno;
    char *const found = strerror_r(number, own.data(), own.size()); // known ones are constants
    errno = before;
    return found;
}

char *strsignal(int number) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_strsignal(number) : kept(texts_of(*rank).signal, real_strsignal(number));
}

char *ttyname(int descriptor) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_ttyname(descriptor);
    }
    kept_text &own = texts_of(*rank).terminal;
    errno = ttyname_r(descriptor, own.data(), own.size());
    return errno == 0 ? own.data() : nullptr;
}

char *ptsname(int descriptor) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_ptsname(descriptor);
    }
    kept_text &own = texts_of(*rank).terminal;
    return ptsname_r(descriptor, own.data(), own.size()) == 0 ? own.data() : nullptr;
}

char *l64a(long number) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_l64a(number)
                           : kept_of(texts_of(*rank).base64, [=] { return real_l64a(number); });
}

char *tmpnam(char *into) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return real_tmpnam(into == nullptr && rank != nullptr ? texts_of(*rank).file.data() : into);
}

mntent *getmntent(std::FILE *table) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_getmntent(table);
    }
    texts &own = texts_of(*rank);
    return getmntent_r(table, &own.mounted, own.mount.data(), static_cast<int>(own.mount.size()));
}

char *ecvt(double value, int digits, int *point, int *sign) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_ecvt(value, digits, point, sign);
    }
    kept_text &own = texts_of(*rank).digits;
    return ecvt_r(value, digits, point, sign, own.data(), own.size()) == 0 ? own.data() : nullptr;
}

char *fcvt(double value, int digits, int *point, int *sign) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_fcvt(value, digits, point, sign);
    }
    kept_text &own = texts_of(*rank).digits;
    return fcvt_r(value, digits, point, sign, own.data(), own.size()) == 0 ? own.data() : nullptr;
}

std::size_t mbrtowc(wchar_t *into, const char *from, std::size_t size, mbstate_t *named) noexcept {
    return real_mbrtowc(into, from, size, state(lisle::host::this_rank(), named, &texts::to_wide));
}
// Not under its own name, which the C library's header defines in each file when the compiler optimises.
std::size_t lisle_mbrlen(const char *from, std::size_t size, mbstate_t *named) noexcept asm("mbrlen");
std::size_t lisle_mbrlen(const char *from, std::size_t size, mbstate_t *named) noexcept {
    return real_mbrlen(from, size, state(lisle::host::this_rank(), named, &texts::length));
}
std::size_t wcrtomb(char *into, wchar_t from, mbstate_t *named) noexcept {
    return real_wcrtomb(into, from, state(lisle::host::this_rank(), named, &texts::from_wide));
}
std::size_t mbsrtowcs(wchar_t *into, const char **from, std::size_t size, mbstate_t *named) noexcept {
    return real_mbsrtowcs(into, from, size, state(lisle::host::this_rank(), named, &texts::many_to_wide));
}
std::size_t wcsrtombs(char *into, const wchar_t **from, std::size_t size, mbstate_t *named) noexcept {
    return real_wcsrtombs(into, from, size, state(lisle::host::this_rank(), named, &texts::many_from_wide));
}

char *textdomain(const char *name) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    if (rank == nullptr) {
        return real_textdomain(name);
    }
    std::string &own = texts_of(*rank).domain;
    if (name != nullptr) {
        own = *name != '\0' ? name : "messages";
    }
    return own.empty() ? real_textdomain(nullptr) : own.data();
}
char *gettext(const char *message) noexcept {
    return real_dcgettext(domain(nullptr), message, LC_MESSAGES);
}
char *dgettext(const char *named, const char *message) noexcept {
    return real_dcgettext(domain(named), message, LC_MESSAGES);
}
char *dcgettext(const char *named, const char *message, int category) noexcept {
    return real_dcgettext(domain(named), message, category);
}
char *ngettext(const char *one, const char *several, unsigned long count) noexcept {
    return real_dcngettext(domain(nullptr), one, several, count, LC_MESSAGES);
}
char *dcngettext(const char *named, const char *one, const char *several, unsigned long count,
                 int category) noexcept {
    return real_dcngettext(domain(named), one, several, count, category);
}

} // extern "C"
