// SPDX-License-Identifier: Apache-2.0
// A library with a unique symbol, thread-local variables and a name that the C library has, too.
thread_local int lower_thread_local = 3;
alignas(64) thread_local char lower_room[100];

template <class T> struct unique { static int value; };
template <class T> int unique<T>::value = 7;

int lower_variable = 11;

extern "C" int error() {
    return ++unique<int>::value + ++lower_thread_local + ++lower_room[5] + ++lower_variable;
}
