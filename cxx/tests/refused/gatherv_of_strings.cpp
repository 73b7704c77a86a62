// says: gather() and allgather() take any object whole
#include <lisle/lisle.hpp>
#include <string>
#include <vector>
void mistake(std::vector<std::string> &names) {
    auto all = lisle::world().gatherv(names);
}
