// says: use of deleted function
#include <lisle/lisle.hpp>
void mistake(lisle::owned<lisle::communicator> &comm) {
    lisle::owned<lisle::communicator> copy = comm;
}
