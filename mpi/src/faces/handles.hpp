// SPDX-License-Identifier: Apache-2.0
// Handles that a call gives or changes: each class here is used for one argument of one call. A null place is
// passed on as null, so that Lisle's own check of the argument refuses it.
#pragma once

#include "faces/chosen/handle.hpp"
#include "faces/room.hpp"

namespace lisle::face {

/// No handle has this value: the call has not stored one.
template <class Handle> [[nodiscard]] Handle no_handle() noexcept {
    return reinterpret_cast<Handle>(~std::uintptr_t{0});
}

/// A handle that the call gives, if it does.
template <class Handle> class given_handle {
  public:
    explicit given_handle(theirs<Handle> *into) noexcept : into_{into} {}
    given_handle(const given_handle &) = delete;
    given_handle &operator=(const given_handle &) = delete;
    ~given_handle() {
        if (into_ != nullptr && value_ != no_handle<Handle>()) {
            *into_ = theirs<Handle>::of(value_);
        }
    }
    operator Handle *() noexcept { return into_ == nullptr ? nullptr : &value_; }

  private:
    theirs<Handle> *into_;
    Handle value_ = no_handle<Handle>();
};

/// A handle that the call may change.
template <class Handle> class changed_handle {
  public:
    explicit changed_handle(theirs<Handle> *place) noexcept : place_{place} {
        if (place != nullptr) {
            before_ = value_ = place->ours();
        }
    }
    changed_handle(const changed_handle &) = delete;
    changed_handle &operator=(const changed_handle &) = delete;
    ~changed_handle() {
        if (value_ != before_) {
            *place_ = theirs<Handle>::of(value_);
        }
    }
    operator Handle *() noexcept { return place_ == nullptr ? nullptr : &value_; }

  private:
    theirs<Handle> *place_;
    Handle before_ = nullptr, value_ = nullptr;
};

/// Handles that the call only reads.
template <class Handle> class handles {
  public:
    handles(const theirs<Handle> *given, MPI_Count count) noexcept
        : all_{given == nullptr ? 0 : count}, given_{given != nullptr} {
        for (Handle &handle : all_) {
            handle = (given++)->ours();
        }
    }
    operator const Handle *() noexcept { return given_ ? all_.data() : nullptr; }

  private:
    room<Handle> all_;
    bool given_;
};

/// Handles that the call may change.
template <class Handle> class changed_handles {
  public:
    changed_handles(theirs<Handle> *place, MPI_Count count) noexcept
        : place_{place}, all_{place == nullptr ? 0 : count} {
        for (Handle &handle : all_) {
            handle = (place++)->ours();
        }
    }
    changed_handles(const changed_handles &) = delete;
    changed_handles &operator=(const changed_handles &) = delete;
    ~changed_handles() {
        theirs<Handle> *next = place_;
        for (const Handle handle : all_) {
            *next++ = theirs<Handle>::of(handle);
        }
    }
    operator Handle *() noexcept { return place_ == nullptr ? nullptr : all_.data(); }

  private:
    theirs<Handle> *place_;
    room<Handle> all_;
};

/// Handles that the call gives, as many of them as it gives.
template <class Handle> class given_handles {
  public:
    given_handles(theirs<Handle> *into, MPI_Count count) noexcept
        : into_{into}, all_{into == nullptr ? 0 : count} {
        for (Handle &handle : all_) {
            handle = no_handle<Handle>();
        }
    }
    given_handles(const given_handles &) = delete;
    given_handles &operator=(const given_handles &) = delete;
    ~given_handles() {
        theirs<Handle> *next = into_;
        for (const Handle handle : all_) {
            if (handle != no_handle<Handle>()) {
                *next = theirs<Handle>::of(handle);
            }
            ++next;
        }
    }
    operator Handle *() noexcept { return into_ == nullptr ? nullptr : all_.data(); }

  private:
    theirs<Handle> *into_;
    room<Handle> all_;
};

} // namespace lisle::face
