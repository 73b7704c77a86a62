// SPDX-License-Identifier: Apache-2.0
// What a debugger is told of the images. The loader's list tells it where they lie and which files they are.
// The list here tells what no debugger can know: where the thread-local variables of each lie, which the host
// places itself (mpi/src/debugger reads it, from a running process or from a core file).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lisle::host {

/// One loaded file of a rank. Read from outside of the process: the layout is part of mpi/src/debugger.
struct image_note {
    const image_note *next;
    std::uint64_t base;    ///< what its addresses are relative to, as the loader has it
    std::int64_t position; ///< of its thread-local variables, from the thread pointer; 0: the loader's
    const char *path;      ///< of the file itself
};

/// The notes of one image, listed as long as this object is there. To be made and removed by one thread at a
/// time.
class listed_image {
  public:
    listed_image() = default;
    ~listed_image();
    listed_image(const listed_image &) = delete;
    listed_image &operator=(const listed_image &) = delete;

    /// @pre called once; the paths stay valid
    void list(std::vector<image_note> notes);

  private:
    std::vector<image_note> notes_;
};

/// Has a debugger that is there read the loader's list once more. It has read it while the images had the
/// names by which the loader knows them, which no other process can open.
void show_images_to_debugger();

} // namespace lisle::host
