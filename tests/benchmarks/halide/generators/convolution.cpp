// A layer of a convolutional network: 3 x 3 filters over the input's channels, a bias, and max(0, x).
#include "Halide.h"

class ConvolutionLayer : public Halide::Generator<ConvolutionLayer> {
public:
    Input<Buffer<float, 3>> input{"input"};    // channel, column, row
    Input<Buffer<float, 4>> filters{"filters"};  // channel out, channel in, column, row
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 3>> layer{"layer"};  // channel, column, row

    void generate() {
        using namespace Halide;
        const int channels = 32, width = 56, height = 56;
        Var c("c"), x("x"), y("y");
        Func sum("sum");
        RDom r(0, channels, 0, 3, 0, 3, "r");
        sum(c, x, y) = bias(c);
        sum(c, x, y) += filters(c, r.x, r.y, r.z) * input(r.x, x + r.y, y + r.z);
        layer(c, x, y) = max(0.0f, sum(c, x, y));
        input.set_estimates({{0, channels}, {0, width + 2}, {0, height + 2}});
        filters.set_estimates({{0, channels}, {0, channels}, {0, 3}, {0, 3}});
        bias.set_estimates({{0, channels}});
        layer.set_estimates({{0, channels}, {0, width}, {0, height}});
    }
};

HALIDE_REGISTER_GENERATOR(ConvolutionLayer, convolution)
