// says: include <lisle/serialize.hpp>
#include <lisle/lisle.hpp>
#include <map>
void mistake(const std::map<int, int> &map) {
    lisle::world().send(map, 1);
}
