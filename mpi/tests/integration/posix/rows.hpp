// SPDX-License-Identifier: Apache-2.0
// What a process has, a row for each thing. A row's check changes it in each rank, lets all ranks do so, and
// looks: it is the rank's own, it is shared, or the call was refused. What is expected of which kind of rank,
// and why: data/process_state.json.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rows {

enum class outcome { own, shared, refused };

struct row {
    const char *name;
    outcome (*check)();
};

extern const std::vector<row> of_files, of_process, of_children, of_library, of_texts, of_cxx;

// What checks know of their rank.
extern int rank, size;
extern bool are_processes, are_fibers;
extern std::string folder; ///< an empty one, the same for all ranks

/// All ranks come here before one goes on.
void meet();
/// `own` if it holds.
outcome is_own(bool holds);
/// For a call that returned this: refused, if it failed with ENOTSUP; else its own or not.
outcome of_call(long result, bool holds = true);
/// A call that would change this process for good: processes try it in a child.
outcome attempt(const std::function<long()> &call);
/// The exit code of a child that does this.
int in_child(const std::function<int()> &body);
/// A name for each rank.
std::string named(const std::string &what);

} // namespace rows
