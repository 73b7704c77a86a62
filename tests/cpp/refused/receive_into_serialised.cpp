// says: This type is serialised
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <map>
void mistake(std::map<int, int> &map) {
    lisle::world().receive_into(map, 0);
}
