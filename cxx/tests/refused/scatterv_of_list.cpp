// says: scatterv() deals out a range of direct objects
#include <lisle/lisle.hpp>

#include <list>
#include <vector>

void mistake(const std::list<double> &values) {
    auto part = lisle::world().scatterv(values);
}

int main() {
    auto part = lisle::world().scatterv(std::vector<double>(1));
}
