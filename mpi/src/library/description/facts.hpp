// SPDX-License-Identifier: Apache-2.0
// What lisle-info prints, by subject: each part adds the facts of one section.
#pragma once

#include <string>
#include <vector>

namespace lisle::description {

struct fact {
    std::string section, name, value;
    std::string remark = {}; ///< why, or where it comes from; may be empty
};
using facts = std::vector<fact>;

void add_build(facts &all);    ///< version, compiler, what was found when it was built
void add_fabrics(facts &all);  ///< what would carry messages here, and why not the others
void add_settings(facts &all); ///< values in force, and where they come from
void add_machine(facts &all);  ///< what limits a job on this machine

} // namespace lisle::description
