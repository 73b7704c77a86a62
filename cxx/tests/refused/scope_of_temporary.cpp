// says: This is a temporary, which ends before the scope
#include <lisle/lisle.hpp>
#include <vector>
void mistake() {
    lisle::scope messages{lisle::world()};
    messages.isend(std::vector<int>(10), 1);
}
