// SPDX-License-Identifier: Apache-2.0
// The predefined objects of a rank.
#include "communicator/predefined.hpp"

#include <fstream>

#include "communicator/observer.hpp"
#include "communicator/world_attributes.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

/// The words of the process's command line, or none where the system does not tell.
std::vector<std::string> command_line() {
    std::ifstream file{"/proc/self/cmdline", std::ios::binary};
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) {
        words.push_back(word);
    }
    return words;
}

} // namespace

environment_info::environment_info() {
    const rank &self = this_rank();
    describe_environment(*this, self.arguments.empty() ? command_line() : self.arguments,
                         self.get_job().size());
}

void create_world(const world_description &description) {
    rank &self = this_rank();
    predefined_objects &objects = predefined.of(self);
    const group_ref everyone = group_ref::adopt(new group{0, description.size, 1});
    const group_ref alone = group_ref::adopt(new group{self.number(), 1, 1});
    objects.world = new communicator{world_context, *everyone, nullptr, self.number()};
    objects.world->become_predefined(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    self.world = objects.world;
    objects.self = new communicator{next_context(), *alone, nullptr, 0};
    objects.self->become_predefined(MPI_COMM_SELF, "MPI_COMM_SELF");
    set_world_attributes(description);
}

void delete_world_attributes() {
    const predefined_objects &objects = *predefined;
    objects.self->attributes.clear(MPI_COMM_SELF);
    objects.world->attributes.clear(MPI_COMM_WORLD);
}

void destroy_world() noexcept {
    predefined_objects &objects = *predefined;
    this_rank().world = nullptr;
    for (communicator **const target : {&objects.parent, &objects.self, &objects.world}) {
        if (*target != nullptr) {
            std::exchange(*target, nullptr)->release();
        }
    }
}

MPI_Comm give_handle(communicator_ref created) {
    if (!created) {
        return MPI_COMM_NULL;
    }
    tell_observer(communicator_event::begins, *created);
    return created.give()->handle();
}

MPI_Group give_handle(group_ref target) noexcept {
    if (target->size() == 0) {
        return MPI_GROUP_EMPTY;
    }
    target->add_handle();
    // Objects are immutable, but the handle type is not const.
    return handle_of<MPI_Group>(const_cast<group &>(*target.give()));
}

} // namespace lisle
