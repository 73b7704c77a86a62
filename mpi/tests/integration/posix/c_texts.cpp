// SPDX-License-Identifier: Apache-2.0
// Texts of the C library: locales, static results, lists.
#include "rows.hpp"

#include <arpa/inet.h>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <grp.h>
#include <iconv.h>
#include <langinfo.h>
#include <libintl.h>
#include <netdb.h>
#include <pwd.h>
#include <set>
#include <syslog.h>
#include <unistd.h>

namespace rows {

namespace {

/// The result of a call that other ranks make with other values stays.
template <class Call> outcome keep(Call call) {
    const char *const result = call();
    const std::string before = result != nullptr ? result : "";
    meet();
    meet();
    return is_own(result != nullptr && before == result);
}

const char *own_locale() {
    return rank % 2 != 0 ? "C.UTF-8" : "C";
}

} // namespace

const std::vector<row> of_texts{
    {"setlocale",
     [] {
         const char *const set = std::setlocale(LC_ALL, own_locale());
         meet();
         const bool utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
         return is_own(set != nullptr && std::strcmp(std::setlocale(LC_ALL, nullptr), own_locale()) == 0 &&
                       utf8 == (rank % 2 != 0) && (MB_CUR_MAX > 1) == utf8);
     }},
    {"setlocale of one category",
     [] {
         std::setlocale(LC_ALL, "C");
         std::setlocale(LC_CTYPE, own_locale());
         meet();
         const std::string all = std::setlocale(LC_ALL, nullptr);
         const bool holds = rank % 2 == 0 ? all == "C" : all.rfind("LC_CTYPE=C.UTF-8;LC_NUMERIC=C;", 0) == 0;
         std::setlocale(LC_ALL, all.c_str());
         return is_own(holds && all == std::setlocale(LC_ALL, nullptr));
     }},
    {"setlocale by variables",
     [] {
         setenv("LC_ALL", own_locale(), 1);
         meet();
         const char *const set = std::setlocale(LC_CTYPE, "");
         meet();
         return is_own(set != nullptr && std::strcmp(set, own_locale()) == 0);
     }},
    {"mbstowcs",
     [] {
         std::setlocale(LC_ALL, own_locale());
         meet();
         wchar_t wide[8];
         const std::size_t length = std::mbstowcs(wide, "\xc3\xa4", 8);
         return is_own(rank % 2 != 0 ? length == 1 && wide[0] == L'\u00e4' : length != 1);
     }},
    {"mbrtowc(NULL)",
     [] {
         std::setlocale(LC_ALL, "C.UTF-8");
         wchar_t wide = 0;
         const std::string letter = rank % 2 != 0 ? "\xc3\xa4" : "\xe2\x82\xac";
         const bool begun = std::mbrtowc(&wide, letter.data(), 1, nullptr) == static_cast<std::size_t>(-2);
         meet();
         const std::size_t rest = std::mbrtowc(&wide, letter.data() + 1, letter.size() - 1, nullptr);
         return is_own(begun && rest == letter.size() - 1 && wide == (rank % 2 != 0 ? L'\u00e4' : L'\u20ac'));
     }},
    {"uselocale",
     [] {
         const locale_t own = newlocale(LC_ALL_MASK, own_locale(), nullptr);
         std::setlocale(LC_ALL, rank % 2 != 0 ? "C" : "C.UTF-8");
         const locale_t before = uselocale(own);
         meet();
         const bool utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
         const bool holds =
             utf8 == (rank % 2 != 0) && uselocale(nullptr) == own && before == LC_GLOBAL_LOCALE;
         uselocale(LC_GLOBAL_LOCALE);
         meet();
         const bool global = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
         return is_own(holds && global == (rank % 2 == 0));
     }},
    {"localeconv",
     [] {
         const lconv *const found = std::localeconv();
         return is_own(found != nullptr && std::strcmp(found->decimal_point, ".") == 0);
     }},
    {"iconv",
     [] {
         const iconv_t converter = iconv_open("UTF-8", "LATIN1");
         char from[] = "\xe4";
         char into[4] = {};
         char *input = from;
         char *output = into;
         std::size_t left = 1;
         std::size_t room = 4;
         meet();
         iconv(converter, &input, &left, &output, &room);
         iconv_close(converter);
         return is_own(std::strcmp(into, "\xc3\xa4") == 0);
     }},
    {"textdomain",
     [] {
         textdomain(named("domain").c_str());
         meet();
         return is_own(named("domain") == textdomain(nullptr));
     }},
    {"gettext", [] { return is_own(std::strcmp(gettext("hello"), "hello") == 0); }},
    {"strerror", [] { return keep([] { return std::strerror(5000 + rank); }); }},
    {"strsignal", [] { return keep([] { return strsignal(500 + rank); }); }},
    {"ecvt",
     [] {
         return keep([] {
             int point = 0;
             int sign = 0;
             return ecvt(1.5 + rank, 3, &point, &sign);
         });
     }},
    {"fcvt",
     [] {
         return keep([] {
             int point = 0;
             int sign = 0;
             return fcvt(1.5 + rank, 3, &point, &sign);
         });
     }},
    {"l64a", [] { return keep([] { return l64a(1000 + rank); }); }},
    {"inet_ntoa",
     [] { return keep([] { return inet_ntoa({htonl(0x0a000000u + static_cast<unsigned>(rank))}); }); }},
    {"gethostbyname",
     [] {
         const std::string address = "10.0.0." + std::to_string(rank + 1);
         const hostent *const found = gethostbyname(address.c_str());
         meet();
         return is_own(found != nullptr && address == found->h_name);
     }},
    {"h_errno",
     [] {
         h_errno = rank;
         meet();
         return is_own(h_errno == rank);
     }},
    {"getservbyname",
     [] {
         const servent *const found = getservbyname(rank % 2 != 0 ? "http" : "ssh", "tcp");
         meet();
         return is_own(found == nullptr || std::strcmp(found->s_name, rank % 2 != 0 ? "http" : "ssh") == 0);
     }},
    {"getprotobyname",
     [] {
         const protoent *const found = getprotobyname(rank % 2 != 0 ? "tcp" : "udp");
         meet();
         return is_own(found == nullptr || std::strcmp(found->p_name, rank % 2 != 0 ? "tcp" : "udp") == 0);
     }},
    {"getpwnam",
     [] {
         const passwd *const found = getpwnam(rank % 2 != 0 ? "root" : "daemon");
         meet();
         return is_own(found != nullptr &&
                       std::strcmp(found->pw_name, rank % 2 != 0 ? "root" : "daemon") == 0);
     }},
    {"getpwuid",
     [] {
         const passwd *const found = getpwuid(static_cast<uid_t>(rank % 2));
         meet();
         return is_own(found != nullptr && found->pw_uid == static_cast<uid_t>(rank % 2));
     }},
    {"getpwent",
     [] {
         std::set<std::string> all;
         setpwent();
         while (const passwd *const each = getpwent()) {
             all.insert(each->pw_name);
             if (all.size() <= 3) {
                 meet();
             }
         }
         endpwent();
         return is_own(all.count("root") == 1 && all.count("daemon") == 1 && all.count("nobody") == 1);
     }},
    {"getgrnam",
     [] {
         const group *const found = getgrnam(rank % 2 != 0 ? "root" : "daemon");
         meet();
         return is_own(found != nullptr &&
                       std::strcmp(found->gr_name, rank % 2 != 0 ? "root" : "daemon") == 0);
     }},
    {"getgrgid",
     [] {
         const group *const found = getgrgid(static_cast<gid_t>(rank % 2));
         meet();
         return is_own(found != nullptr && found->gr_gid == static_cast<gid_t>(rank % 2));
     }},
    {"getgrent",
     [] {
         setgrent();
         const group *const first = getgrent();
         const std::string name = first != nullptr ? first->gr_name : "";
         meet();
         const group *const second = getgrent();
         const bool holds = name == "root" && second != nullptr && name != second->gr_name;
         meet();
         endgrent();
         return is_own(holds);
     }},
    {"openlog and setlogmask",
     [] {
         openlog(named("log").c_str(), 0, LOG_USER);
         const int wanted = LOG_UPTO(LOG_ALERT + rank % 3);
         setlogmask(wanted);
         meet();
         const bool holds = setlogmask(0) == wanted;
         closelog();
         return is_own(holds);
     }},
};

} // namespace rows
