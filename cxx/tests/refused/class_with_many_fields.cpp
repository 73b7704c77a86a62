// says: This class has more than 24 fields
#include <lisle/lisle.hpp>
struct record {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
void mistake(const record &r) {
    lisle::world().send(r, 1);
}
