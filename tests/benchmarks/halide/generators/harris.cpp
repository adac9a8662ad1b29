// The corner response of Harris and Stephens 1988: products of the gradients, summed over 3 x 3, det - k trace^2.
#include "Halide.h"

class HarrisResponse : public Halide::Generator<HarrisResponse> {
public:
    Input<Buffer<float, 2>> image{"image"};
    Output<Buffer<float, 2>> response{"response"};

    void generate() {
        using namespace Halide;
        Var x("x"), y("y");
        Func clamped = BoundaryConditions::repeat_edge(image);
        Func dx("dx"), dy("dy"), xx("xx"), xy("xy"), yy("yy"), sxx("sxx"), sxy("sxy"), syy("syy");
        auto across = [&](Expr row) { return clamped(x + 1, row) - clamped(x - 1, row); };
        auto down = [&](Expr column) { return clamped(column, y + 1) - clamped(column, y - 1); };
        dx(x, y) = (across(y - 1) + 2 * across(y) + across(y + 1)) / 8.0f;
        dy(x, y) = (down(x - 1) + 2 * down(x) + down(x + 1)) / 8.0f;
        xx(x, y) = dx(x, y) * dx(x, y);
        xy(x, y) = dx(x, y) * dy(x, y);
        yy(x, y) = dy(x, y) * dy(x, y);
        auto window = [&](Func f) {
            Expr total = 0.0f;
            for (int j = -1; j <= 1; j++) {
                for (int i = -1; i <= 1; i++) {
                    total += f(x + i, y + j);
                }
            }
            return total;
        };
        sxx(x, y) = window(xx);
        sxy(x, y) = window(xy);
        syy(x, y) = window(yy);
        Expr trace = sxx(x, y) + syy(x, y);
        response(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y) - 0.05f * trace * trace;
        image.set_estimates({{0, 1024}, {0, 768}});
        response.set_estimates({{0, 1024}, {0, 768}});
    }
};

HALIDE_REGISTER_GENERATOR(HarrisResponse, harris)
