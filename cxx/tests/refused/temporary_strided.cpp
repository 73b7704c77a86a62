// says: This view does not own its memory
#include <lisle/lisle.hpp>
void mistake(double *plate) {
    auto sending = lisle::world().isend(lisle::strided{plate, {100}, {100}}, 1);
}
