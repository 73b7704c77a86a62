// SPDX-License-Identifier: Apache-2.0
#include "library/description/description.h"
#include "library/description/facts.hpp"

void lisle_describe(lisle_tell_function *tell, void *to) {
    lisle::description::facts all;
    lisle::description::add_build(all);
    lisle::description::add_fabrics(all);
    lisle::description::add_settings(all);
    lisle::description::add_machine(all);
    for (const auto &[section, name, value, remark] : all) {
        tell(to, section.c_str(), name.c_str(), value.c_str(), remark.c_str());
    }
}
