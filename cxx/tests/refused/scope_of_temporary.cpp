// says: use of deleted function
#include <lisle/lisle.hpp>
#include <vector>
void mistake() {
    lisle::scope messages{lisle::world()};
    messages.isend(std::vector<int>(10), 1);
}
