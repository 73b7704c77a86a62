// says: are for collectives
#include <lisle/lisle.hpp>
#include <vector>
std::vector<int> values;
void mistake() {
    lisle::world().send(lisle::whole(values), 1);
}
