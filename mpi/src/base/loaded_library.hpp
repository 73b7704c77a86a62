// SPDX-License-Identifier: Apache-2.0
// A shared library that is loaded on demand, so that programs which do not need it run without it.
#pragma once

#include <dlfcn.h>
#include <string_view>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

/// Stays loaded until the process ends, even after this object has been destroyed: such libraries have
/// threads.
class loaded_library {
  public:
    /// @param name of the file, as the loader looks for it @param need why it is loaded, @param remedy what
    /// to do if it is not there, for the message. Throws mpi_error (MPI_ERR_OTHER) if it cannot be loaded.
    loaded_library(const char *name, std::string_view need, std::string_view remedy)
        : name_{name}, handle_{dlopen(name, RTLD_NOW | RTLD_LOCAL)} {
        if (handle_ == nullptr) {
            fail(MPI_ERR_OTHER, need, " (", dlerror(), "): ", remedy);
        }
    }

    /// Sets a pointer to the function of this name. Throws mpi_error (MPI_ERR_OTHER) if there is none.
    template <class Function> void find(Function &function, const char *name) const {
        function = reinterpret_cast<Function>(dlsym(handle_, name));
        if (function == nullptr) {
            fail(MPI_ERR_OTHER, name_, " has no function ", name);
        }
    }

  private:
    const char *name_;
    void *handle_;
};

} // namespace lisle
