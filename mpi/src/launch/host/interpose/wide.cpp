// SPDX-License-Identifier: Apache-2.0
// Wide characters to stdout and stderr. The files behind which ranks' streams lie take bytes only (the C
// library crashes on wide ones), so the functions that print wide characters convert here for these two.
#include "launch/host/output/output.hpp"
#include "launch/host/rank/real.hpp"

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cwchar>
#include <string>
#include <string_view>

namespace lisle::host {

namespace {

const real<"fputwc", std::wint_t(wchar_t, std::FILE *)> real_fputwc;
const real<"fputws", int(const wchar_t *, std::FILE *)> real_fputws;
const real<"vfwprintf", int(std::FILE *, const wchar_t *, std::va_list)> real_vfwprintf;

bool takes_bytes_only(const std::FILE *file) {
    return file == stdout || file == stderr || stream_of(file) != nullptr;
}

/// Prints in the multibyte encoding of the locale. False at a character that it does not have.
bool print(std::wstring_view text, std::FILE *file) {
    std::mbstate_t state{};
    std::string bytes;
    for (const wchar_t each : text) {
        char encoded[MB_LEN_MAX];
        const std::size_t length = std::wcrtomb(encoded, each, &state);
        if (length == static_cast<std::size_t>(-1)) {
            return false;
        }
        bytes.append(encoded, length);
    }
    return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
}

std::wint_t put(wchar_t character, std::FILE *file) {
    if (!takes_bytes_only(file)) {
        return real_fputwc(character, file);
    }
    return print({&character, 1}, file) ? static_cast<std::wint_t>(character) : WEOF;
}

int put(const wchar_t *text, std::FILE *file) {
    return takes_bytes_only(file) ? (print(text, file) ? 1 : -1) : real_fputws(text, file);
}

int format(std::FILE *file, const wchar_t *pattern, std::va_list arguments) {
    if (!takes_bytes_only(file)) {
        return real_vfwprintf(file, pattern, arguments);
    }
    constexpr std::size_t most = std::size_t{16} << 20; // vswprintf does not tell a full buffer from an error
    for (std::wstring text(256, L'\0'); text.size() <= most; text.resize(text.size() * 4)) {
        std::va_list once;
        va_copy(once, arguments);
        const int length = std::vswprintf(text.data(), text.size(), pattern, once);
        va_end(once);
        if (length >= 0) {
            return print({text.data(), static_cast<std::size_t>(length)}, file) ? length : -1;
        }
    }
    return -1;
}

} // namespace

} // namespace lisle::host

using lisle::host::format;
using lisle::host::put;

// Some names are macros or inline in headers, so symbols are named apart from functions.
extern "C" {

std::wint_t lisle_fputwc(wchar_t character, std::FILE *file) asm("fputwc");
std::wint_t lisle_fputwc(wchar_t character, std::FILE *file) {
    return put(character, file);
}
std::wint_t lisle_putwc(wchar_t character, std::FILE *file) asm("putwc");
std::wint_t lisle_putwc(wchar_t character, std::FILE *file) {
    return put(character, file);
}
std::wint_t lisle_putwchar(wchar_t character) asm("putwchar");
std::wint_t lisle_putwchar(wchar_t character) {
    return put(character, lisle::host::this_output());
}
int lisle_fputws(const wchar_t *text, std::FILE *file) asm("fputws");
int lisle_fputws(const wchar_t *text, std::FILE *file) {
    return put(text, file);
}

int lisle_vfwprintf(std::FILE *file, const wchar_t *pattern, std::va_list arguments) asm("vfwprintf");
int lisle_vfwprintf(std::FILE *file, const wchar_t *pattern, std::va_list arguments) {
    return format(file, pattern, arguments);
}
int lisle_vwprintf(const wchar_t *pattern, std::va_list arguments) asm("vwprintf");
int lisle_vwprintf(const wchar_t *pattern, std::va_list arguments) {
    return format(lisle::host::this_output(), pattern, arguments);
}

int lisle_fwprintf(std::FILE *file, const wchar_t *pattern, ...) asm("fwprintf");
int lisle_fwprintf(std::FILE *file, const wchar_t *pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    const int length = format(file, pattern, arguments);
    va_end(arguments);
    return length;
}

int lisle_wprintf(const wchar_t *pattern, ...) asm("wprintf");
int lisle_wprintf(const wchar_t *pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    const int length = format(lisle::host::this_output(), pattern, arguments);
    va_end(arguments);
    return length;
}

// The forms that fortified programs call; their flag changes nothing here.
int lisle_fwprintf_chk(std::FILE *file, int, const wchar_t *pattern, ...) asm("__fwprintf_chk");
int lisle_fwprintf_chk(std::FILE *file, int, const wchar_t *pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    const int length = format(file, pattern, arguments);
    va_end(arguments);
    return length;
}

int lisle_wprintf_chk(int, const wchar_t *pattern, ...) asm("__wprintf_chk");
int lisle_wprintf_chk(int, const wchar_t *pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    const int length = format(lisle::host::this_output(), pattern, arguments);
    va_end(arguments);
    return length;
}

} // extern "C"
