"""A loop of scikit-optimize's ask and tell with tunepass's Optimizer, over dimensions of scikit-optimize.

pip install 'tunepass[skopt]'  (without it the dimensions are tuples, as docs/integrations.md shows)
python samples/integrations/skopt_optimizer.py
"""

from skopt.space import Categorical, Integer, Real

from tunepass.integrations.skopt import Optimizer

dimensions = [
    Real(1e-4, 1.0, prior="log-uniform", name="rate"),
    Integer(1, 12, name="depth"),
    Categorical(["relu", "tanh"], name="activation"),
]
optimizer = Optimizer(dimensions, random_state=0)
for _ in range(8):
    batch = optimizer.ask(2)
    losses = [abs(rate - 0.01) + abs(depth - 5) + (act == "relu") for rate, depth, act in batch]
    result = optimizer.tell(batch, losses)
rate, depth, activation = result.x
print(f"best loss: {result.fun:.3f} with rate={rate:.4f}, depth={depth}, activation={activation}")
