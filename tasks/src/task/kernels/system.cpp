// SPDX-License-Identifier: Apache-2.0
// sys: time, and a counter that shows what a kernel keeps.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "task/kernels/standard.hpp"

namespace lisle::tasks {

namespace {

class system_kernel {
  public:
    explicit system_kernel(const tile_place &where) : where_{where} {}
    int sleep(int milliseconds) const {
        std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
        return where_.tile;
    }
    std::int64_t count() { return ++calls_; }
    int tile() const { return where_.tile; }
    double time() const {
        return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    }
    value fail(const std::string &message) const { throw std::runtime_error{message}; }

  private:
    const tile_place where_;
    std::int64_t calls_ = 0;
};

} // namespace

described add_system_kernels(registry &kernels) {
    kernels.add("sys.sleep", &system_kernel::sleep);
    kernels.add("sys.count", &system_kernel::count);
    kernels.add("sys.tile", &system_kernel::tile);
    kernels.add("sys.time", &system_kernel::time);
    kernels.add("sys.fail", &system_kernel::fail);
    return {{"(sys.sleep ms)", "sleeps; the tile's number"},
            {"(sys.count)", "how often this tile has counted"},
            {"(sys.tile)", "the tile's number"},
            {"(sys.time)", "seconds since 1970"},
            {"(sys.fail text)", "throws an exception"}};
}

described add_standard_kernels(registry &kernels) {
    described all;
    for (auto *const add : {&add_system_kernels, &add_sorting_kernels, &add_matrix_kernels, &add_heat_kernels,
                            &add_text_kernels}) {
        const described some = add(kernels);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

} // namespace lisle::tasks
