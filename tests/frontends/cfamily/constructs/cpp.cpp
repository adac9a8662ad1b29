namespace blas { namespace { int hidden; } inline namespace v1 { double dot(int n) { return n; } } }
namespace a::b { void nested() {} }
extern "C" { int linked(int n) { return n; } }
extern "C" void alone() {}
template <class T, int N = (4 > 2)> struct Array { T data[N]; T &operator[](int i) { return data[i]; } static int size() { return N; } };
template <typename T> T twice(T x) { return 2 * x; }
template <> float twice<float>(float x) { return x + x; }
template <class T> class Solver : public Array<T> {
    int steps = 3;
public:
    Solver(int n) : steps(n) {}
    virtual ~Solver() {}
    T step(const T &x) const noexcept;
    static constexpr int limit() { return 4; }
    bool operator()(int i, int j) { return i < j; }
};
template <class T> T Solver<T>::step(const T &x) const noexcept { return this->steps * x; }
using whole = int;
using row = double[4];
enum class kind : unsigned char { first, second = 4 };
auto trailing(int n) -> double { return n; }
void references(int &a, const double &b, int &&c, double (&A)[4][8]) { a = c + b + A[1][2]; }
void loops(Array<int, 4> &x) { for (auto &v : x.data) v += 1; for (const int w : {1, 2}) x[0] += w; }
int lambdas(int n) { auto f = [&n, k = 2](int a) mutable -> int { return a + n * k; }; return f(3); }
void comparisons(int a, int b, int c, int d) { bool e = a < b && c > (d); bool f = a < b, g = c > d; }
void casts(void *p) { double *x = static_cast<double *>(p); int n = int(*x); unsigned m = unsigned(n) + (unsigned){3}; }
void objects(int n) { Array<float, 8> v; Array<int, 4> w{1, 2}; int k(n), m{n}; int *p = new int[n]; delete[] p; }
int defaults(int n = 3, Array<int, 2> v = {}) { return n; }
void shifts(Array<Array<int, 2>, 3> &x, int n) { x[n >> 1][n << 2] = 1; }
void qualified(int n) { blas::dot(n); ::a::b::nested(); int k = Array<int, 4>::size(); twice<double>(n); }
void exceptions(int n) { try { if (n) throw 1; } catch (int e) { n = e; } catch (...) { } }
[[nodiscard]] constexpr int attributed(int n) noexcept { if constexpr (sizeof(int) > 2) return n; return 0; }
int initialisers() { if (int n = 3; n > 2) return n; switch (int m = 4) { default: return m; } }
struct Pod { int a, b; static int shared; mutable double c; int f() { return a; } private: int d; };
