// says: cannot convert|no matching|could not convert
#include <lisle/lisle.hpp>
void mistake() {
    lisle::world().send(1, 1, lisle::any_tag);
}
