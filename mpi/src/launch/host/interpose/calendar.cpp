// SPDX-License-Identifier: Apache-2.0
#include "launch/host/interpose/calendar.hpp"

#include "launch/host/image/private_object.hpp"
#include "launch/host/interpose/borrowed_environment.hpp"
#include "launch/host/rank/real.hpp"

#include <cwchar>

namespace lisle::host {

namespace {

const real<"tzset", void()> real_tzset;
const real<"localtime", std::tm *(const std::time_t *)> real_localtime;
const real<"localtime_r", std::tm *(const std::time_t *, std::tm *)> real_localtime_r;
const real<"gmtime", std::tm *(const std::time_t *)> real_gmtime;
const real<"asctime", char *(const std::tm *)> real_asctime;
const real<"mktime", std::time_t(std::tm *)> real_mktime;
const real<"strftime", std::size_t(char *, std::size_t, const char *, const std::tm *)> real_strftime;
const real<"strftime_l", std::size_t(char *, std::size_t, const char *, const std::tm *, locale_t)>
    real_strftime_l;
const real<"wcsftime", std::size_t(wchar_t *, std::size_t, const wchar_t *, const std::tm *)> real_wcsftime;
const real<"wcsftime_l", std::size_t(wchar_t *, std::size_t, const wchar_t *, const std::tm *, locale_t)>
    real_wcsftime_l;

/// While it lives, the C library's time zone is the calling thread's rank's.
class borrowed_zone {
  public:
    borrowed_zone() : rank_(this_rank()), variables_(rank_) { real_tzset(); }
    ~borrowed_zone() {
        if (rank_ != nullptr) {
            calendar_state &own = rank_calendar.of(*rank_);
            *own.seconds_west = ::timezone;
            *own.has_summer_time = ::daylight;
            own.names[0] = ::tzname[0]; // the C library keeps these texts
            own.names[1] = ::tzname[1];
        }
    }
    borrowed_zone(const borrowed_zone &) = delete;
    borrowed_zone &operator=(const borrowed_zone &) = delete;

  private:
    hosted_rank *rank_;
    borrowed_environment variables_;
};

constexpr auto seconds = [](hosted_rank &rank, void *place) {
    rank_calendar.of(rank).seconds_west = static_cast<long *>(place);
};
constexpr auto summer = [](hosted_rank &rank, void *place) {
    rank_calendar.of(rank).has_summer_time = static_cast<int *>(place);
};
constexpr auto names = [](hosted_rank &rank, void *place) {
    rank_calendar.of(rank).names = static_cast<char **>(place);
    std::copy_n(::tzname, 2, rank_calendar.of(rank).names);
};
const private_objects calendar_objects{
    {"timezone", sizeof(long), seconds},  {"__timezone", sizeof(long), seconds},
    {"daylight", sizeof(int), summer},    {"__daylight", sizeof(int), summer},
    {"tzname", sizeof(char *[2]), names}, {"__tzname", sizeof(char *[2]), names},
};

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

void tzset() noexcept {
    const borrowed_zone zone;
}

std::tm *localtime_r(const std::time_t *time, std::tm *result) noexcept {
    const borrowed_zone zone;
    return real_localtime_r(time, result);
}

std::tm *localtime(const std::time_t *time) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_localtime(time) : localtime_r(time, &rank_calendar.of(*rank).broken_down);
}

std::tm *gmtime(const std::time_t *time) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_gmtime(time) : gmtime_r(time, &rank_calendar.of(*rank).broken_down);
}

char *asctime(const std::tm *time) noexcept {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_asctime(time) : asctime_r(time, rank_calendar.of(*rank).text);
}

char *ctime_r(const std::time_t *time, char *text) noexcept {
    std::tm broken_down{};
    return localtime_r(time, &broken_down) == nullptr ? nullptr : asctime_r(&broken_down, text);
}

char *ctime(const std::time_t *time) noexcept {
    const std::tm *const broken_down = localtime(time);
    return broken_down == nullptr ? nullptr : asctime(broken_down);
}

std::time_t mktime(std::tm *time) noexcept {
    const borrowed_zone zone;
    return real_mktime(time);
}

std::time_t timelocal(std::tm *time) noexcept {
    return mktime(time);
}

std::size_t strftime(char *text, std::size_t size, const char *format, const std::tm *time) noexcept {
    const borrowed_zone zone;
    return real_strftime(text, size, format, time);
}

std::size_t strftime_l(char *text, std::size_t size, const char *format, const std::tm *time,
                       locale_t locale) noexcept {
    const borrowed_zone zone;
    return real_strftime_l(text, size, format, time, locale);
}

std::size_t wcsftime(wchar_t *text, std::size_t size, const wchar_t *format, const std::tm *time) noexcept {
    const borrowed_zone zone;
    return real_wcsftime(text, size, format, time);
}

std::size_t wcsftime_l(wchar_t *text, std::size_t size, const wchar_t *format, const std::tm *time,
                       locale_t locale) noexcept {
    const borrowed_zone zone;
    return real_wcsftime_l(text, size, format, time, locale);
}

// The C++ library's ways.
std::size_t __strftime_l(char *text, std::size_t size, const char *format, const std::tm *time,
                         locale_t locale) {
    return strftime_l(text, size, format, time, locale);
}

std::size_t __wcsftime_l(wchar_t *text, std::size_t size, const wchar_t *format, const std::tm *time,
                         locale_t locale) {
    return wcsftime_l(text, size, format, time, locale);
}

} // extern "C"
