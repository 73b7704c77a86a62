// says: This class is only declared here
#include <lisle/lisle.hpp>
#include <lisle/window.hpp>

class particle;
struct point {
    int x, y;
};

void mistake() {
    auto shared = lisle::window<particle>::shared(lisle::world(), 8);
}

int main() {
    auto shared = lisle::window<point>::shared(lisle::world(), 8);
}
