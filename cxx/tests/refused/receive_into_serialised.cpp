// says: This type is serialised
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>
#include <map>
void mistake(std::map<int, int> &map) {
    static_cast<void>(lisle::world().ireceive_into(lisle::borrow(map), 0));
}
