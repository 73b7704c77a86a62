// SPDX-License-Identifier: Apache-2.0
// The C++ standard streams of each rank. Their formatting state (std::hex, width, precision, imbue) is the
// rank's own; their characters go the way of stdout, stderr and stdin. A stream object is constructed in
// place, also where the program holds the object itself by a copy relocation: the bitwise copy that the
// loader made, half shared with the library's stream, is never used.
#include "launch/host/image/private_object.hpp"
#include "launch/host/output/output.hpp"

#include <ext/stdio_sync_filebuf.h>
#include <iostream>
#include <memory>
#include <new>

namespace lisle::host {

namespace {

template <class Char> using buffer = __gnu_cxx::stdio_sync_filebuf<Char>;

/// A buffer in front of a file. Never destroyed: destructors of static objects print.
template <class Char> buffer<Char> *lasting_buffer(std::FILE *file) {
    return new buffer<Char>(file);
}

template <class Char> std::basic_ostream<Char> *tied(hosted_rank &rank) {
    const char *const symbol = sizeof(Char) == 1 ? "_ZSt4cout" : "_ZSt5wcout";
    return static_cast<std::basic_ostream<Char> *>(private_object_of(rank, symbol));
}

template <class Char> void construct_out(hosted_rank &rank, void *place) {
    new (place) std::basic_ostream<Char>(lasting_buffer<Char>(rank_streams.of(rank).out.file()));
}

template <class Char> void construct_error(hosted_rank &rank, void *place) {
    auto *const stream =
        new (place) std::basic_ostream<Char>(lasting_buffer<Char>(rank_streams.of(rank).error.file()));
    stream->setf(std::ios_base::unitbuf);
    stream->tie(tied<Char>(rank));
}

template <class Char> void construct_log(hosted_rank &rank, void *place) {
    new (place) std::basic_ostream<Char>(lasting_buffer<Char>(rank_streams.of(rank).error.file()));
}

template <class Char> void construct_in(hosted_rank &rank, void *place) {
    auto *const stream = new (place) std::basic_istream<Char>(lasting_buffer<Char>(input_of(rank)));
    stream->tie(tied<Char>(rank));
}

const private_objects stream_objects{
    {"_ZSt4cout", sizeof(std::ostream), &construct_out<char>},
    {"_ZSt4cerr", sizeof(std::ostream), &construct_error<char>},
    {"_ZSt4clog", sizeof(std::ostream), &construct_log<char>},
    {"_ZSt3cin", sizeof(std::istream), &construct_in<char>},
    {"_ZSt5wcout", sizeof(std::wostream), &construct_out<wchar_t>},
    {"_ZSt5wcerr", sizeof(std::wostream), &construct_error<wchar_t>},
    {"_ZSt5wclog", sizeof(std::wostream), &construct_log<wchar_t>},
    {"_ZSt4wcin", sizeof(std::wistream), &construct_in<wchar_t>},
};

} // namespace

void route_library_streams() {
    std::cout.rdbuf(lasting_buffer<char>(stdout));
    std::cerr.rdbuf(lasting_buffer<char>(stderr));
    std::clog.rdbuf(lasting_buffer<char>(stderr));
    std::wcout.rdbuf(lasting_buffer<wchar_t>(stdout));
    std::wcerr.rdbuf(lasting_buffer<wchar_t>(stderr));
    std::wclog.rdbuf(lasting_buffer<wchar_t>(stderr));
}

} // namespace lisle::host

// std::ios_base::sync_with_stdio: would exchange the buffers of the library's streams under all ranks. They
// stay synchronised, which every program may expect less of.
extern "C" bool lisle_sync_with_stdio(bool) asm("_ZNSt8ios_base15sync_with_stdioEb");
extern "C" bool lisle_sync_with_stdio(bool) {
    return true;
}
