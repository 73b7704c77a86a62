// SPDX-License-Identifier: Apache-2.0
// The lists of users and groups: results, and how far a rank has read, are its own.
#include "launch/host/interpose/own_result.hpp"
#include "launch/host/rank/hosted_rank.hpp"
#include "launch/host/rank/made_when_used.hpp"
#include "launch/host/rank/real.hpp"

#include <deque>
#include <grp.h>
#include <mutex>
#include <pwd.h>

namespace lisle::host {

namespace {

const real<"getpwnam", passwd *(const char *)> real_user_by_name;
const real<"getpwuid", passwd *(uid_t)> real_user_by_number;
const real<"getpwent", passwd *()> real_next_user;
const real<"setpwent", void()> real_rewind_users;
const real<"endpwent", void()> real_close_users;
const real<"getgrnam", group *(const char *)> real_group_by_name;
const real<"getgrgid", group *(gid_t)> real_group_by_number;
const real<"getgrent", group *()> real_next_group;
const real<"setgrent", void()> real_rewind_groups;
const real<"endgrent", void()> real_close_groups;

/// The whole list, read at once: the C library has one position in it for all.
template <class Record> class listing {
  public:
    void rewind() {
        results_.clear();
        entries_.clear();
        next_ = 0;
        is_read_ = false;
    }
    template <class Begin, class Next, class End> Record *next(Begin begin, Next read_next, End end) {
        if (!is_read_) {
            static std::mutex reading;
            const std::scoped_lock lock(reading);
            begin();
            Record *found = nullptr;
            do {
                found = entries_.emplace_back().filled_by(read_next);
                results_.push_back(found);
            } while (found != nullptr);
            end();
            is_read_ = true;
        }
        return next_ < results_.size() ? results_[next_++] : nullptr;
    }

  private:
    std::deque<own_result<Record>> entries_; // in which results lie
    std::deque<Record *> results_;
    std::size_t next_ = 0;
    bool is_read_ = false;
};

struct users {
    own_result<passwd> user;
    own_result<group> of_group;
    listing<passwd> all_users;
    listing<group> all_groups;
};
const rank_slot<made_when_used<users>> rank_users;

users &users_of(hosted_rank &rank) {
    return *rank_users.of(rank);
}

} // namespace

} // namespace lisle::host

using namespace lisle::host;

extern "C" {

passwd *getpwnam(const char *name) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_user_by_name(name)
               : users_of(*rank).user.filled_by([=](auto... into) { return getpwnam_r(name, into...); });
}

passwd *getpwuid(uid_t number) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_user_by_number(number)
               : users_of(*rank).user.filled_by([=](auto... into) { return getpwuid_r(number, into...); });
}

group *getgrnam(const char *name) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr
               ? real_group_by_name(name)
               : users_of(*rank).of_group.filled_by([=](auto... into) { return getgrnam_r(name, into...); });
}

group *getgrgid(gid_t number) {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_group_by_number(number)
                           : users_of(*rank).of_group.filled_by(
                                 [=](auto... into) { return getgrgid_r(number, into...); });
}

passwd *getpwent() {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_next_user()
                           : users_of(*rank).all_users.next([] { real_rewind_users(); },
                                                            [](auto... into) { return getpwent_r(into...); },
                                                            [] { real_close_users(); });
}

void setpwent() {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        users_of(*rank).all_users.rewind();
    } else {
        real_rewind_users();
    }
}

void endpwent() {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        users_of(*rank).all_users.rewind();
    } else {
        real_close_users();
    }
}

group *getgrent() {
    hosted_rank *const rank = lisle::host::this_rank();
    return rank == nullptr ? real_next_group()
                           : users_of(*rank).all_groups.next([] { real_rewind_groups(); },
                                                             [](auto... into) { return getgrent_r(into...); },
                                                             [] { real_close_groups(); });
}

void setgrent() {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        users_of(*rank).all_groups.rewind();
    } else {
        real_rewind_groups();
    }
}

void endgrent() {
    if (hosted_rank *const rank = lisle::host::this_rank()) {
        users_of(*rank).all_groups.rewind();
    } else {
        real_close_groups();
    }
}

} // extern "C"
