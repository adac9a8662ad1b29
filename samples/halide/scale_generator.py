"""A generator whose schedule has parameters; docs/halide.md tunes them."""

import halide as hl


@hl.generator(name="scale")
class Scale:
    lanes = hl.GeneratorParam(1)
    rows = hl.GeneratorParam(1)

    image = hl.InputBuffer(hl.Float(32), 2)
    gain = hl.InputScalar(hl.Float(32))
    scaled = hl.OutputBuffer(hl.Float(32), 2)

    def generate(self):
        x, y = hl.vars("x y")
        self.scaled[x, y] = self.image[x, y] * self.gain
        if not self.using_autoscheduler():
            self.scaled.vectorize(x, self.lanes).unroll(y, self.rows)


if __name__ == "__main__":
    hl.main()
