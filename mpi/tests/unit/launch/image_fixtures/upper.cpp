// SPDX-License-Identifier: Apache-2.0
// A library that needs the lower one.
extern "C" int error();
extern thread_local int lower_thread_local;
static thread_local int upper_thread_local = 5;

int upper() {
    return error() + ++lower_thread_local + ++upper_thread_local;
}
