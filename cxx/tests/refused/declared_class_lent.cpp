// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake(particle &moved) {
    auto sending = lisle::world().isend(lisle::borrow(moved), 1);
}

int main() {
    point moved{1, 2};
    auto sending = lisle::world().isend(lisle::borrow(moved), 1);
}
