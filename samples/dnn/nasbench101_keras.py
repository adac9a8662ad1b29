# The cells of NAS-Bench-101 (Ying et al., arXiv 1902.09635): which of seven vertices are connected, and what each does.
#
#   tunepass estimate samples/dnn/nasbench101_keras.py --device v100
#
# At most 9 of the 21 edges are there. A vertex that is on no path from the input to the output is not built, so that
# cells of fewer vertices are among these.
#
# tunepass param e01: integer(0..1) = 1
# tunepass param e02: integer(0..1) = 1
# tunepass param e03: integer(0..1) = 1
# tunepass param e04: integer(0..1) = 0
# tunepass param e05: integer(0..1) = 1
# tunepass param e06: integer(0..1) = 0
# tunepass param e12: integer(0..1) = 0
# tunepass param e13: integer(0..1) = 0
# tunepass param e14: integer(0..1) = 0
# tunepass param e15: integer(0..1) = 0
# tunepass param e16: integer(0..1) = 1
# tunepass param e23: integer(0..1) = 0
# tunepass param e24: integer(0..1) = 0
# tunepass param e25: integer(0..1) = 0
# tunepass param e26: integer(0..1) = 1
# tunepass param e34: integer(0..1) = 1
# tunepass param e35: integer(0..1) = 0
# tunepass param e36: integer(0..1) = 0
# tunepass param e45: integer(0..1) = 0
# tunepass param e46: integer(0..1) = 1
# tunepass param e56: integer(0..1) = 1
# tunepass param op1: categorical("conv3x3", "conv1x1", "maxpool3x3") = "conv1x1"
# tunepass param op2: categorical("conv3x3", "conv1x1", "maxpool3x3") = "conv3x3"
# tunepass param op3: categorical("conv3x3", "conv1x1", "maxpool3x3") = "conv3x3"
# tunepass param op4: categorical("conv3x3", "conv1x1", "maxpool3x3") = "conv3x3"
# tunepass param op5: categorical("conv3x3", "conv1x1", "maxpool3x3") = "maxpool3x3"
# tunepass constraint e01 + e02 + e03 + e04 + e05 + e06 + e12 + e13 + e14 + e15 + e16 + e23 + e24 + e25 + e26 + e34 + e35 + e36 + e45 + e46 + e56 <= 9
# tunepass constraint e06 + e16 + e26 + e36 + e46 + e56 >= 1
# tunepass limit weight_byte <= 40 MB
import keras
from keras import layers

e01, e02, e03, e04, e05, e06 = 1, 1, 1, 0, 1, 0
e12, e13, e14, e15, e16 = 0, 0, 0, 0, 1
e23, e24, e25, e26 = 0, 0, 0, 1
e34, e35, e36 = 1, 0, 0
e45, e46 = 0, 1
e56 = 1
op1 = "conv1x1"
op2 = "conv3x3"
op3 = "conv3x3"
op4 = "conv3x3"
op5 = "maxpool3x3"

OPERATIONS = [None, op1, op2, op3, op4, op5]
EDGES = [
    [0, e01, e02, e03, e04, e05, e06],
    [0, 0, e12, e13, e14, e15, e16],
    [0, 0, 0, e23, e24, e25, e26],
    [0, 0, 0, 0, e34, e35, e36],
    [0, 0, 0, 0, 0, e45, e46],
    [0, 0, 0, 0, 0, 0, e56],
]
INNER = range(1, 6)
OUTPUT = 6


def used_edges():
    """The edges between vertices that are on a path from the input to the output."""
    reached = [1] + [0] * 6
    for t in range(1, 7):
        reached[t] = max(reached[s] * EDGES[s][t] for s in range(t))
    reaching = [0] * 6 + [1]
    for s in reversed(range(6)):
        reaching[s] = max(EDGES[s][t] * reaching[t] for t in range(s + 1, 7))
    return [[EDGES[s][t] * reached[s] * reaching[t] if s < t else 0 for t in range(7)] for s in range(6)]


USED = used_edges()


def widths(filters):
    """The channels of each vertex: those before the output share its channels, others have what comes after them."""
    ends = sum(USED[t][OUTPUT] for t in INNER)
    found, before = [0] * 6, 0
    share, rest = filters // max(ends, 1), filters % max(ends, 1)
    for t in INNER:
        found[t] = USED[t][OUTPUT] * (share + (1 if before < rest else 0))
        before = before + USED[t][OUTPUT]
    for s in reversed(INNER):
        found[s] = max([1, found[s]] + [found[t] * USED[s][t] for t in range(s + 1, 6)])
    return found


def conv(x, kernel, filters):
    x = layers.Conv2D(filters, kernel, padding="same", use_bias=False)(x)
    return layers.Activation("relu")(layers.BatchNormalization()(x))


def operation(x, name, filters):
    if name == "conv3x3":
        return conv(x, 3, filters)
    if name == "conv1x1":
        return conv(x, 1, filters)
    return layers.MaxPooling2D(3, strides=1, padding="same")(x)


def cell(x, filters):
    width = widths(filters)
    made = [x] + [None] * 6
    outputs = []
    for t in INNER:
        total = None
        if USED[0][t]:
            total = conv(x, 1, width[t])
        for s in range(1, t):
            if USED[s][t]:
                cut = made[s][..., : width[t]]
                total = cut if total is None else total + cut
        made[t] = operation(total, OPERATIONS[t], width[t])
        if USED[t][OUTPUT]:
            outputs.append(made[t])
    joined = None
    if max(USED[t][OUTPUT] for t in INNER):
        joined = layers.concatenate(outputs)
    if USED[0][OUTPUT]:
        across = conv(x, 1, filters)
        joined = across if joined is None else joined + across
    return joined


image = keras.Input((32, 32, 3))
x = conv(image, 3, 128)
for stack in range(3):
    if stack > 0:
        x = layers.MaxPooling2D(2, strides=2)(x)
    for _ in range(3):
        x = cell(x, 128 << stack)
x = layers.GlobalAveragePooling2D()(x)
model = keras.Model(image, layers.Dense(10)(x))
model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy")
