// says: message_tag(lisle::any_tag_t)|to 'lisle::message_tag' invokes a deleted function|to 'message_tag'
// invokes a deleted function
#include <lisle/lisle.hpp>
void mistake() {
    lisle::world().send(1, 1, lisle::any_tag);
}
