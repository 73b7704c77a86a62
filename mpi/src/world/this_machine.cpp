// SPDX-License-Identifier: Apache-2.0
#include "world/this_machine.hpp"

#include <fstream>
#include <sys/stat.h>

#include "base/error.hpp"

namespace lisle {

std::string name_of_this_machine() {
    std::string boot;
    std::ifstream{"/proc/sys/kernel/random/boot_id"} >> boot;
    struct stat processes {};
    stat("/proc/self/ns/pid", &processes); // without the other's /proc no memory can be shared
    return sentence(boot.substr(0, 40), "-", processes.st_ino);
}

} // namespace lisle
