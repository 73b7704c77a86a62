// SPDX-License-Identifier: Apache-2.0
// A program with two libraries, only one of which it names first.
extern thread_local int lower_thread_local;
extern int lower_variable;
int upper();
static thread_local int own = 1;

int main() {
    return upper() + ++own + lower_thread_local + lower_variable;
}
