// SPDX-License-Identifier: Apache-2.0
// A library without variables: its table is relocated once and protected.
namespace {
const char *const names[] = {"one", "two", "three"};
}

extern "C" const char *constant_name(int which) {
    return names[which];
}
