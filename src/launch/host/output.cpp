#include "launch/host/output.hpp"
#include <cstdio>
namespace lisle::host {
void flush_output(hosted_rank &) {
    fflush(stdout);
}
} // namespace lisle::host
