// SPDX-License-Identifier: Apache-2.0
#include "exploration/account_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle::exploration {

choice::orders read_orders_in(const std::string &folder) {
    std::ifstream file{folder + "/" + choice::orders_file};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (!file) {
        fail(MPI_ERR_FILE, "cannot read what the run is to choose (", folder, "/", choice::orders_file,
             "): ", std::strerror(errno));
    }
    return choice::read_orders(text);
}

owned_descriptor open_account(const std::string &folder) {
    const std::string name = folder + "/" + choice::account_file;
    owned_descriptor account{open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    if (!account) {
        fail(MPI_ERR_FILE, "cannot write what the run chooses (", name, "): ", std::strerror(errno));
    }
    return account;
}

void write_account(const owned_descriptor &account, const std::string &line) {
    if (write(account.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
        std::fprintf(stderr, "lisle: cannot write what the run chooses: %s\n", std::strerror(errno));
        _exit(EXIT_FAILURE);
    }
}

} // namespace lisle::exploration
