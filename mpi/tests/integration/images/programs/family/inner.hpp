// SPDX-License-Identifier: Apache-2.0
// The lower of two libraries: state of every sort that C++ has.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

/// Prints one line with the rank in front; before there is a rank, keeps it for later.
void say(const std::string &line);

/// Thrown by one library, caught by another and by the program.
class inner_error : public std::runtime_error {
  public:
    inner_error(const std::string &what, int code) : std::runtime_error(what), code_(code) {}
    ~inner_error() override;
    int code() const { return code_; }

  private:
    int code_;
};

/// Says when it begins and ends.
class noisy {
  public:
    explicit noisy(std::string name);
    ~noisy();
    int value = 0;

  private:
    std::string name_;
};

// One object for the libraries and the program, since each of them has the definition.
template <class T> struct registry { static std::map<std::string, T> entries; };
template <class T> std::map<std::string, T> registry<T>::entries;
inline int uses_of_header = 0;

extern int rank_number;                  // the program may hold it itself
extern thread_local int steps_of_thread; // reached by the program directly
thread_local inline noisy of_each("inline thread_local");

struct shape {
    virtual ~shape();
    virtual int area() const = 0;
};

[[noreturn]] void fail_inside(int code);
int count_inside(); ///< counts with a static of a function, global to the library
