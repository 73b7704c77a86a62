// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/ucx/ucx.hpp"

#include <cstdlib>

#include "base/loaded_library.hpp"

namespace lisle::fabric::network {

namespace {

/// A variable of the environment that lives as long as this, unless the user has set it.
class default_variable {
  public:
    default_variable(const char *name, const char *value) : name_{name}, ours_{std::getenv(name) == nullptr} {
        if (ours_) {
            setenv(name, value, 1);
        }
    }
    default_variable(const default_variable &) = delete;
    default_variable &operator=(const default_variable &) = delete;
    ~default_variable() {
        if (ours_) {
            unsetenv(name_);
        }
    }

  private:
    const char *name_;
    bool ours_;
};

} // namespace

ucx::ucx() {
    // It reads these as it is loaded. By default it takes over the program's handlers of faults, and rewrites
    // the C library's functions of memory.
    const default_variable faults{"UCX_HANDLE_ERRORS", "none"}, memory{"UCX_MEM_EVENTS", "no"};
    const loaded_library library{"libucp.so.0", "LISLE_NETWORK_PROVIDER names ucx, which is not here",
                                 "install libucx0 on every node"};
    library.find(config_read, "ucp_config_read");
    library.find(config_release, "ucp_config_release");
    library.find(config_modify, "ucp_config_modify");
    library.find(init_version, "ucp_init_version");
    library.find(cleanup, "ucp_cleanup");
    library.find(worker_create, "ucp_worker_create");
    library.find(worker_destroy, "ucp_worker_destroy");
    library.find(worker_get_address, "ucp_worker_get_address");
    library.find(worker_release_address, "ucp_worker_release_address");
    library.find(worker_get_efd, "ucp_worker_get_efd");
    library.find(worker_arm, "ucp_worker_arm");
    library.find(worker_progress, "ucp_worker_progress");
    library.find(worker_set_am_recv_handler, "ucp_worker_set_am_recv_handler");
    library.find(am_send, "ucp_am_send_nbx");
    library.find(tag_send, "ucp_tag_send_nbx");
    library.find(tag_recv, "ucp_tag_recv_nbx");
    library.find(request_cancel, "ucp_request_cancel");
    library.find(request_check_status, "ucp_request_check_status");
    library.find(request_free, "ucp_request_free");
    library.find(ep_create, "ucp_ep_create");
    library.find(ep_close, "ucp_ep_close_nbx");
    library.find(ep_flush, "ucp_ep_flush_nbx");
    library.find(mem_map, "ucp_mem_map");
    library.find(mem_unmap, "ucp_mem_unmap");
    library.find(rkey_pack, "ucp_rkey_pack");
    library.find(rkey_buffer_release, "ucp_rkey_buffer_release");
    library.find(rkey_unpack, "ucp_ep_rkey_unpack");
    library.find(rkey_destroy, "ucp_rkey_destroy");
    library.find(get, "ucp_get_nbx");
    library.find(put, "ucp_put_nbx");
    library.find(status_string, "ucs_status_string"); // of a library that it brings along
}

const ucx &ucx::instance() {
    static const ucx only;
    return only;
}

} // namespace lisle::fabric::network
