// says: This class is only declared here
#include <lisle/lisle.hpp>
#include <vector>

class particle;

void mistake(particle &into) {
    lisle::world().gather_into(1, into);
}

int main() {
    std::vector<int> all;
    lisle::world().gather_into(1, lisle::resized(all));
}
