/* A moving average over a std::vector, for two types of numbers: two instances of one template are two kernels.
 *
 * Tuned together: how many elements a block has and how many sums are kept side by side, each a constant of its own.
 *
 *     tunepass build samples/c/smooth.cpp -o out --budget 60s -- g++ -O2
 */

#include <algorithm>
#include <cstddef>
#include <vector>

#pragma tunepass param FLOAT_BLOCK: ordinal(pow2(64, 4096)) log
#pragma tunepass param FLOAT_LANES: ordinal(1, 2, 4, 8, 16)
#pragma tunepass kernel smoothing::average<float>(x: in float[100000], y: out float[100000]) tolerance(1e-5)

#pragma tunepass param DOUBLE_BLOCK: ordinal(pow2(64, 4096)) log
#pragma tunepass param DOUBLE_LANES: ordinal(1, 2, 4, 8, 16)
#pragma tunepass kernel smoothing::average<double>(x: in double[100000], y: out double[100000]) tolerance(1e-9)

/* A compiler sees the second argument; tunepass writes other values in place of the call. */
template <class T> constexpr T tune(const char *, T value)
{
    return value;
}

namespace smoothing {

template <class T> struct Shape;

template <> struct Shape<float> {
    static constexpr std::size_t block = tune<std::size_t>("FLOAT_BLOCK", 256);
    static constexpr std::size_t lanes = tune<std::size_t>("FLOAT_LANES", 1);
};

template <> struct Shape<double> {
    static constexpr std::size_t block = tune<std::size_t>("DOUBLE_BLOCK", 256);
    static constexpr std::size_t lanes = tune<std::size_t>("DOUBLE_LANES", 1);
};

constexpr std::size_t width = 16;

/* y[i] is the mean of x[i] and up to width - 1 elements after it. */
template <class T> void average(const std::vector<T> &x, std::vector<T> &y)
{
    constexpr std::size_t lanes = Shape<T>::lanes;
    const std::size_t n = x.size();
    for (std::size_t start = 0; start < n; start += Shape<T>::block) {
        const std::size_t end = std::min(start + Shape<T>::block, n);
        std::size_t i = start;
        for (; i + lanes + width <= n && i + lanes <= end; i += lanes) {
            T sums[lanes] = {};
            for (std::size_t k = 0; k < width; k++)
                for (std::size_t lane = 0; lane < lanes; lane++)
                    sums[lane] += x[i + lane + k];
            for (std::size_t lane = 0; lane < lanes; lane++)
                y[i + lane] = sums[lane] / T(width);
        }
        for (; i < end; i++) {
            T sum = 0;
            const std::size_t last = std::min(i + width, n);
            for (std::size_t k = i; k < last; k++)
                sum += x[k];
            y[i] = sum / T(last - i);
        }
    }
}

} // namespace smoothing
