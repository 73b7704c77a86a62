// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/crash_report.hpp"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include "base/text.hpp"
#include "diagnosis/debug_information.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/supervisor/verdict.hpp"

namespace lisle::launch {

namespace {

constexpr std::size_t longest_name = 60;

std::string readable(const std::string &symbol) {
    int status = -1;
    const std::unique_ptr<char, decltype(&std::free)> plain{
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free};
    std::string name = status == 0 ? plain.get() : symbol;
    if (name.size() > longest_name) {
        name.resize(longest_name - 3);
        name += "...";
    }
    return name;
}

std::string place_of(const crash_stack::frame &frame) {
    if (const auto places = source_places(frame.file, frame.offset); !places.empty()) {
        return sentence(base_name(places.front().file), ":", places.front().line);
    }
    char offset[24];
    std::snprintf(offset, sizeof offset, "+%#llx", static_cast<unsigned long long>(frame.offset));
    return sentence(frame.file.empty() ? "unknown code" : base_name(frame.file), offset);
}

std::string line_of(std::size_t number, const crash_stack::frame &frame) {
    const std::string function =
        frame.file.empty() ? std::string{} : readable(function_name(frame.file, frame.offset));
    return sentence("  #", number, " ", function.empty() ? "?" : function, " at ", place_of(frame), "\n");
}

} // namespace

std::string crash_report(const fault_record &fault, const crash_stack::content &stack) {
    std::string text =
        sentence("lislerun: rank ", fault.rank, " has crashed by ", signal_name(fault.signal), ":\n");
    for (std::size_t i = 0; i != stack.frames.size(); ++i) {
        text += line_of(i, stack.frames[i]);
    }
    return text;
}

} // namespace lisle::launch
