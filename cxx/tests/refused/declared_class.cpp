// says: This class is only declared here
#include <lisle/lisle.hpp>

class particle;
struct point {
    int x, y;
};

void mistake(const particle &moved) {
    lisle::world().send(moved, 1);
}

int main() {
    lisle::world().send(point{1, 2}, 1);
}
