#include <vector>
namespace shop {
using Price = int;
class Cart : public Base {
 public:
  Cart();
  int total() const;
  int total(int discount) const { return sum_ - discount; }
 private:
  int sum_ = 0;
};
template <typename T>
T most(T a, T b) { return a < b ? b : a; }
enum class Kind { kA, kB };
}  // namespace shop
int shop::Cart::total() const { return sum_; }
