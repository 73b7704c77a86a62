// says: Counts are integers that lie one after the other
#include <lisle/lisle.hpp>

#include <list>
#include <vector>

void mistake(const std::vector<double> &values, const std::list<int> &counts) {
    auto all = lisle::world().gatherv(values, {.counts = counts});
}

int main() {
    const std::vector<int> counts(1, 1);
    auto all = lisle::world().gatherv(std::vector<double>(1), {.counts = counts});
}
