// Distances of sequences, short and long ones; prints their sum.
#include <cstdint>
#include <cstdio>
#include <vector>
#include "_editdistance.h"

int main()
{
    std::uint32_t state = 7;
    auto draw = [&] { return (state = state * 1664525u + 1013904223u) >> 24; };
    std::uint64_t sum = 0;
    for (int round = 0; round < 400; round++) {
        std::vector<std::int64_t> a(100 + round % 400), b(150 + round % 300);
        for (auto &x : a)
            x = draw() % 20;
        for (auto &x : b)
            x = draw() % 20;
        sum += edit_distance(a.data(), a.size(), b.data(), b.size());
    }
    std::printf("sum %llu\n", static_cast<unsigned long long>(sum));
}
