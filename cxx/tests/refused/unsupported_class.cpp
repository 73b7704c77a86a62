// says: This type cannot be sent
#include <lisle/lisle.hpp>
class secret {
  public:
    explicit secret(int n) : number{n} {}

  private:
    int number;
};
void mistake(const secret &s) {
    lisle::world().send(s, 1);
}
