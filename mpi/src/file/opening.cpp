// SPDX-License-Identifier: Apache-2.0
#include "file/opening.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "communicator/child.hpp"
#include "execution/rank.hpp"
#include "file/agreement.hpp"

namespace lisle::file {

namespace {

bool is_one_of_the_three(int amode) noexcept {
    const int access = amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);
    return access == MPI_MODE_RDONLY || access == MPI_MODE_RDWR || access == MPI_MODE_WRONLY;
}

/// [MPI-5.0 14.2.1]
void check_amode(int amode) {
    constexpr int all = MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_EXCL |
                        MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN |
                        MPI_MODE_WRONLY;
    if ((amode & ~all) != 0) {
        fail(MPI_ERR_AMODE, "amode is ", amode, ", which has bits that no MPI_MODE_ constant of files has");
    }
    if (!is_one_of_the_three(amode)) {
        fail(MPI_ERR_AMODE, "amode is ", amode,
             "; it must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY");
    }
    if ((amode & MPI_MODE_RDONLY) != 0 && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) {
        fail(MPI_ERR_AMODE, "amode is ", amode,
             ": MPI_MODE_RDONLY goes neither with MPI_MODE_CREATE nor with MPI_MODE_EXCL");
    }
    if ((amode & MPI_MODE_RDWR) != 0 && (amode & MPI_MODE_SEQUENTIAL) != 0) {
        fail(MPI_ERR_AMODE, "amode is ", amode, ": MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL");
    }
}

/// The first rank alone creates the file: with MPI_MODE_EXCL the others would find it there and fail.
std::unique_ptr<descriptor> open_in_turn(communicator &members, const std::string &name, int amode) {
    std::unique_ptr<descriptor> opened;
    const bool first = members.rank() == 0;
    const auto open_with = [&](int how) {
        return attempt([&] { opened = std::make_unique<descriptor>(name, how); });
    };
    agree(members, first ? open_with(amode) : failure{});
    if (members.size() > 1) {
        agree(members, first ? failure{} : open_with(amode & ~(MPI_MODE_CREATE | MPI_MODE_EXCL)));
    }
    return opened;
}

/// Throws unless all ranks say the same.
void check_same(communicator &members, MPI_Count own, const char *what) {
    const std::vector<MPI_Count> all = gather(members, own);
    const auto other = std::ranges::find_if(all, [&](MPI_Count one) { return one != all.front(); });
    if (other != all.end()) {
        fail(MPI_ERR_NOT_SAME, what, " is ", *other, " at rank ", other - all.begin(), " and ", all.front(),
             " at rank 0; all ranks must pass the same");
    }
}

void check_not_negative(MPI_Offset size) {
    if (size < 0) {
        fail(MPI_ERR_ARG, "size is ", size, "; it must not be negative");
    }
}

void check_writable(const open_file &on) {
    if (on.has(MPI_MODE_RDONLY)) {
        fail(MPI_ERR_READ_ONLY, "the file \"", on.on_disk().name(), "\" was opened with MPI_MODE_RDONLY");
    }
}

/// The first rank performs an action on the file. Throws at all ranks if it fails.
template <class Action> void at_first_rank(open_file &on, Action action) {
    agree(on.comm(), on.comm().rank() == 0 ? attempt(action) : failure{});
}

void take_hints(open_file &on, const info *said) {
    agree(on.comm(), attempt([&] {
              if (said != nullptr) {
                  on.how.apply(*said);
              }
          }));
    agree_on(on.comm(), on.how);
}

template <class... Parts> void log_event(open_file &which, const Parts &...what) {
    if (logs(log_area::file)) {
        log_line(log_area::file, known_rank().number(), sentence(which.on_disk().name(), ": ", what...));
    }
}

/// The displacement of the new view. [MPI-5.0 14.3]
MPI_Offset displacement_of(open_file &on, const view_request &asked) {
    if (asked.displacement == MPI_DISPLACEMENT_CURRENT) {
        if (!on.has(MPI_MODE_SEQUENTIAL)) {
            fail(MPI_ERR_ARG, "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL");
        }
        return on.seen->offset_of(on.shared->get());
    }
    if (on.has(MPI_MODE_SEQUENTIAL)) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "disp is ", asked.displacement,
             "; for a file opened with MPI_MODE_SEQUENTIAL it must be MPI_DISPLACEMENT_CURRENT");
    }
    if (asked.displacement < 0) {
        fail(MPI_ERR_ARG, "disp is ", asked.displacement, "; it must not be negative");
    }
    return asked.displacement;
}

} // namespace

open_file *open(const open_request &asked) {
    communicator &parent = asked.parent;
    if (parent.inter() || parent.of_threads()) {
        fail(MPI_ERR_COMM, parent.label(), " is ",
             parent.inter() ? "an inter-communicator" : "one of threads",
             "; files are opened over intra-communicators");
    }
    const communicator_ref members = make_private_copy(parent);
    members->errors.set(errors_without_file().get());
    std::string name;
    agree(*members, attempt([&] {
        check_amode(asked.amode);
        name = plain_name(asked.name);
    }));
    check_same(*members, asked.amode, "amode");
    std::unique_ptr<descriptor> opened = open_in_turn(*members, name, asked.amode);
    std::unique_ptr<open_file> file;
    MPI_Count begin = 0;
    agree(*members, attempt([&] {
        file = std::make_unique<open_file>(members, std::move(opened), asked.amode);
        file->of_one_kernel = nodes_of(*members) == 1 && file->on_disk().local();
        begin = file->has(MPI_MODE_APPEND) ? file->on_disk().size() : 0;
    }));
    agree_on(*members, file->of_one_kernel);
    file->how.collective_buffer = usual_collective_buffer(file->of_one_kernel);
    take_hints(*file, asked.hints);
    agree_on(*members, begin);
    file->position.store(begin, std::memory_order_relaxed);
    file->shared.emplace(*members, begin);
    log_event(*file, "opened with amode ", asked.amode, " by ", members->size(), " ranks");
    return file.release();
}

void close(open_file *closed) {
    const std::unique_ptr<open_file> file{closed};
    log_event(*file, "closed");
    failure own;
    {
        const collective_turn turn{*file};
        file->shared->end();
        if (!file->has(MPI_MODE_RDONLY)) {
            agree(file->comm(), {}); // what was written is in the file when any rank has closed it
        }
        if (file->has(MPI_MODE_DELETE_ON_CLOSE)) {
            own = file->comm().rank() == 0 ? attempt([&] { file->on_disk().remove(); }) : failure{};
            agree(file->comm(), own);
        }
    }
}

void set_view(open_file &on, const view_request &asked) {
    const collective_turn turn{on};
    std::shared_ptr<const view> seen;
    agree(on.comm(), attempt([&] {
              seen =
                  std::make_shared<const view>(displacement_of(on, asked), asked.etype, asked.filetype,
                                               representation::named(asked.form), !on.has(MPI_MODE_RDONLY));
          }));
    check_same(on.comm(), seen->unit(), "the size of etype");
    take_hints(on, asked.hints);
    at_first_rank(on, [&] { on.shared->set(0); });
    on.seen = std::move(seen);
    on.position.store(0, std::memory_order_relaxed);
}

void set_info(open_file &on, const info &hints) {
    const collective_turn turn{on};
    take_hints(on, &hints);
}

void set_atomicity(open_file &on, bool atomic) {
    const collective_turn turn{on};
    check_same(on.comm(), atomic ? 1 : 0, "flag");
    on.atomic.store(atomic, std::memory_order_relaxed);
}

void set_size(open_file &on, MPI_Offset size) {
    check_not_negative(size);
    check_writable(on);
    const collective_turn turn{on};
    check_same(on.comm(), size, "size");
    at_first_rank(on, [&] { on.on_disk().set_size(size); });
}

void preallocate(open_file &on, MPI_Offset size) {
    check_not_negative(size);
    check_writable(on);
    const collective_turn turn{on};
    check_same(on.comm(), size, "size");
    at_first_rank(on, [&] { on.on_disk().preallocate(size); });
}

void sync(open_file &on) {
    const collective_turn turn{on};
    // Each rank calls it, since only the kernel of its own node has its writes in the cache.
    agree(on.comm(), on.has(MPI_MODE_RDONLY) ? failure{} : attempt([&] { on.on_disk().sync(); }));
}

} // namespace lisle::file
