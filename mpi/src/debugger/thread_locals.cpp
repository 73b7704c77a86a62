// SPDX-License-Identifier: Apache-2.0
// A libthread_db for gdb that knows where the thread-local variables of the ranks' images lie. The C
// library's own, which it needs and calls, knows only those that the loader has placed; the host places those
// of the images, at positions from the thread pointer that it notes (launch/host/image/debugger_view.hpp).
// gdb takes this one for the C library's, whose other functions it finds in what this needs.
#include <cstdint>
#include <dlfcn.h>

extern "C" {
#include <thread_db.h>

#include <proc_service.h>
}

namespace {

using get_address = td_err_e(const td_thrhandle_t *, psaddr_t, std::size_t, psaddr_t *);

/// As the host writes it.
struct image_note {
    std::uint64_t next, base;
    std::int64_t position;
    std::uint64_t path;
};

bool read(ps_prochandle *process, std::uint64_t address, void *into, std::size_t bytes) {
    return ps_pdread(process, reinterpret_cast<psaddr_t>(address), into, bytes) == PS_OK;
}

/// Where the variables of the file that is loaded there begin, from the thread pointer; 0: the loader knows.
std::int64_t position_of(ps_prochandle *process, std::uint64_t base) {
    psaddr_t head = nullptr;
    std::uint64_t at = 0;
    if (ps_pglobal_lookup(process, "lisle-host", "lisle_host_images", &head) != PS_OK ||
        !read(process, reinterpret_cast<std::uint64_t>(head), &at, sizeof at)) {
        return 0;
    }
    constexpr int most = 1 << 20; // of a damaged list
    image_note note{};
    for (int i = 0; i < most && at != 0 && read(process, at, &note, sizeof note); ++i) {
        if (note.base == base) {
            return note.position;
        }
        at = note.next;
    }
    return 0;
}

} // namespace

extern "C" __attribute__((visibility("default"))) td_err_e
td_thr_tls_get_addr(const td_thrhandle_t *thread, psaddr_t map, std::size_t offset, psaddr_t *address) {
    static auto *const original = reinterpret_cast<get_address *>(dlsym(RTLD_NEXT, "td_thr_tls_get_addr"));
    const td_err_e found = original != nullptr ? original(thread, map, offset, address) : TD_NOCAPAB;
    if (found == TD_OK) {
        return found;
    }
    td_thrinfo_t about{};
    std::uint64_t base = 0; // the first member of a link_map
    ps_prochandle *process = nullptr;
    static auto *const inform = reinterpret_cast<td_err_e (*)(const td_thrhandle_t *, td_thrinfo_t *)>(
        dlsym(RTLD_NEXT, "td_thr_get_info"));
    static auto *const process_of = reinterpret_cast<td_err_e (*)(const td_thragent_t *, ps_prochandle **)>(
        dlsym(RTLD_NEXT, "td_ta_get_ph"));
    if (inform == nullptr || process_of == nullptr || inform(thread, &about) != TD_OK ||
        process_of(thread->th_ta_p, &process) != TD_OK ||
        !read(process, reinterpret_cast<std::uint64_t>(map), &base, sizeof base)) {
        return found;
    }
    const std::int64_t position = position_of(process, base);
    if (position == 0) {
        return found;
    }
    // A thread's handle is the address of its block of control, and that is the thread pointer.
    *address = static_cast<char *>(thread->th_unique) + position + offset;
    return TD_OK;
}
