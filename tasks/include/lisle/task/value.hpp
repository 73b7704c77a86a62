// SPDX-License-Identifier: Apache-2.0
// The values that tasks compute with: nothing, truth values, integers, reals, and objects (text, lists, C++
// objects of any type, functions, failures) that are shared by reference counts and never change. Needs no
// MPI.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lisle::tasks {

/// The kinds of objects.
enum class object_kind : std::uint8_t {
    text,    ///< a string
    list,    ///< values in order
    range,   ///< the integers from one number to before another
    boxed,   ///< a C++ object
    closure, ///< a function with the values that it has captured
    failure, ///< an error on its way to the caller
    cell,    ///< a variable that is assigned once, or a buffer
    remote,  ///< an object that another rank keeps
};

/// Base of all objects. Shared by all tiles of a rank; an object does not change once it is shared.
class object {
  public:
    explicit object(object_kind kind) noexcept : kind_{kind} {}
    object(const object &) = delete;
    object &operator=(const object &) = delete;

    [[nodiscard]] object_kind kind() const noexcept { return kind_; }
    // Relaxed: the caller has a reference already, so nothing has to be ordered.
    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    /// For a table that holds no reference itself: takes one unless the last has been given up. Relaxed: the
    /// table's lock orders it.
    bool retain_if_alive() noexcept {
        std::uint32_t count = references_.load(std::memory_order_relaxed);
        while (count != 0 &&
               !references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
        }
        return count != 0;
    }
    // Acquire and release: the last one sees what all others did with the object.
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete this;
        }
    }
    /// Whether the caller's reference is the only one, so that it may take the content. Acquire pairs with
    /// the release of the last other reference.
    [[nodiscard]] bool is_sole() const noexcept { return references_.load(std::memory_order_acquire) == 1; }

  protected:
    virtual ~object() = default;

  private:
    std::atomic<std::uint32_t> references_{1};
    const object_kind kind_;
};

/// A counted reference to an object.
template <class T> class ref {
  public:
    ref() noexcept = default;
    /// Takes over the reference that a new object begins with.
    static ref adopt(T *fresh) noexcept {
        ref made;
        made.object_ = fresh;
        return made;
    }
    explicit ref(T *shared) noexcept : object_{shared} {
        if (object_ != nullptr) {
            object_->retain();
        }
    }
    ref(const ref &other) noexcept : ref{other.object_} {}
    ref(ref &&other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
    template <class Derived> ref(ref<Derived> other) noexcept : object_{other.leave()} {}
    ref &operator=(ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~ref() {
        if (object_ != nullptr) {
            object_->release();
        }
    }
    [[nodiscard]] T *get() const noexcept { return object_; }
    T &operator*() const noexcept { return *object_; }
    T *operator->() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }
    /// Gives the reference to the caller.
    [[nodiscard]] T *leave() noexcept { return std::exchange(object_, nullptr); }

  private:
    T *object_ = nullptr;
};

/// Makes an object: `make<text>("abc")`.
template <class T, class... Arguments> ref<T> make(Arguments &&...arguments) {
    return ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

/// The kinds of values.
enum class value_kind : std::uint8_t { nothing, boolean, integer, real, object };

/// A value: 16 bytes, cheap to copy.
class value {
  public:
    value() noexcept : integer_{0} {}
    value(bool truth) noexcept : kind_{value_kind::boolean}, integer_{truth ? 1 : 0} {}
    value(int number) noexcept : value{static_cast<std::int64_t>(number)} {}
    value(std::int64_t number) noexcept : kind_{value_kind::integer}, integer_{number} {}
    value(double number) noexcept : kind_{value_kind::real}, real_{number} {}
    value(std::string text);
    value(const char *text) : value{std::string{text}} {}
    value(std::vector<value> list);
    template <class T> value(ref<T> shared) noexcept : kind_{value_kind::object}, object_{shared.leave()} {}

    value(const value &other) noexcept : kind_{other.kind_}, integer_{other.integer_} {
        if (kind_ == value_kind::object) {
            object_->retain();
        }
    }
    value(value &&other) noexcept
        : kind_{std::exchange(other.kind_, value_kind::nothing)}, integer_{other.integer_} {}
    value &operator=(const value &other) noexcept {
        value copy{other};
        return *this = std::move(copy);
    }
    value &operator=(value &&other) noexcept {
        const value old{std::move(*this)}; // goes last: it may own `other`
        kind_ = std::exchange(other.kind_, value_kind::nothing);
        integer_ = other.integer_;
        return *this;
    }
    ~value() {
        if (kind_ == value_kind::object) {
            object_->release();
        }
    }

    [[nodiscard]] value_kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is_nothing() const noexcept { return kind_ == value_kind::nothing; }
    [[nodiscard]] bool is_boolean() const noexcept { return kind_ == value_kind::boolean; }
    [[nodiscard]] bool is_integer() const noexcept { return kind_ == value_kind::integer; }
    [[nodiscard]] bool is_real() const noexcept { return kind_ == value_kind::real; }
    [[nodiscard]] bool is_object() const noexcept { return kind_ == value_kind::object; }
    [[nodiscard]] bool is(object_kind kind) const noexcept { return is_object() && object_->kind() == kind; }

    /// @pre of that kind
    [[nodiscard]] bool boolean() const noexcept { return integer_ != 0; }
    [[nodiscard]] std::int64_t integer() const noexcept { return integer_; }
    [[nodiscard]] double real() const noexcept { return real_; }
    [[nodiscard]] object *shared() const noexcept { return object_; }
    /// @pre an object of class T
    template <class T> [[nodiscard]] T &as() const noexcept { return *static_cast<T *>(object_); }

  private:
    value_kind kind_ = value_kind::nothing;
    union {
        std::int64_t integer_;
        double real_;
        object *object_;
    };
};
static_assert(sizeof(value) == 16);

/// A string.
class text final : public object {
  public:
    explicit text(std::string content) : object{object_kind::text}, content{std::move(content)} {}
    std::string content;
};

/// Values in order.
class list final : public object {
  public:
    explicit list(std::vector<value> items);
    std::vector<value> items;
    /// True if another rank may keep an object in it, at any depth.
    [[nodiscard]] bool may_be_remote() const noexcept { return may_be_remote_; }

  private:
    bool may_be_remote_ = false;
};

/// The integers first, first + 1, ... below end.
class range final : public object {
  public:
    range(std::int64_t first, std::int64_t end) noexcept
        : object{object_kind::range}, first{first}, end{end < first ? first : end} {}
    const std::int64_t first, end;
};

/// A place in a program: line and column, from 1 on; 0: none.
struct place {
    std::uint32_t line = 0, column = 0;
    bool operator==(const place &) const = default;
};

/// An error on its way to the caller: takes the place of the value that a task could not compute.
class failure final : public object {
  public:
    failure(std::string message, place where) noexcept
        : object{object_kind::failure}, message{std::move(message)}, where{where} {}
    const std::string message;
    const place where;  ///< in the program
    std::string kernel; ///< kernel.method, or empty
    int tile = -1;      ///< the tile that met it
    int rank = -1;      ///< and its rank
};

/// A list, a range or a C++ vector; the number of its elements. @return -1 for other values
std::int64_t length_of(const value &sequence);
/// @pre 0 <= index < length_of(sequence)
value element_of(const value &sequence, std::int64_t index);
/// The value as a program would write it: `(1 2 3)`, `"text"`.
std::string to_string(const value &shown);
/// Its kind in words, for error messages: "an integer", "a list".
std::string kind_name(const value &named);
/// The same number, text, or elements that are the same.
bool equal(const value &left, const value &right);

inline bool may_be_remote(const value &asked) noexcept {
    return asked.is_object() &&
           (asked.shared()->kind() == object_kind::remote ||
            (asked.shared()->kind() == object_kind::list && asked.as<list>().may_be_remote()));
}

inline value::value(std::string content) : value{make<text>(std::move(content))} {}
inline value::value(std::vector<value> items) : value{make<list>(std::move(items))} {}
inline list::list(std::vector<value> given) : object{object_kind::list}, items(std::move(given)) {
    for (const value &item : items) {
        may_be_remote_ = may_be_remote_ || tasks::may_be_remote(item);
    }
}

} // namespace lisle::tasks
