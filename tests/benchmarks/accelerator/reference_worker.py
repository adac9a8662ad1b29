"""Trains the examples of geepee or deepGP_approxEP with their own code, in a Python of their own.

    python reference_worker.py geepee|approxep FOLDER JITTER ITERATIONS

The answer is one line of JSON: a list of examples, each with its data, the parameters that were trained, the energy as
the code has it and with the jitter JITTER times the amplitude, and its predictions of the new rows, noise included.

`FOLDER` is a checkout that this Python can import; nothing of it is changed on disk. It imports nothing of tunepass.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")  # both import matplotlib.pyplot

import numpy as np

INDUCING = 20
ALPHAS = (0.001, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 1.0)  # of gpr_alpha_examples.py
LAYERED_ALPHAS = (0.1, 0.5, 1.0)
EPOCHS, BATCH, RATE = 200, 50, 0.02  # of test_toy_1D.py


def plain(values):
    return np.asarray(values, dtype=float).tolist()


def upper_factor(values, size):
    """R as it is stored: a row behind the other, logarithms on the diagonal."""
    factor = np.zeros((size, size))
    factor[np.triu_indices(size)] = np.ravel(values)
    return factor


def wave():
    """200 rows to train on and 200 new ones: gpr_alpha_examples.py's `create_dataset`, from the same seed."""
    np.random.seed(42)
    x = np.random.rand(400, 1)
    y = np.sin(12 * x) + 0.5 * np.cos(25 * x) + 0.15 * np.random.randn(400, 1)
    return x[:200], y[:200], x[200:], y[200:]


def step():
    """500 rows of a step with noise, and 200 new ones: test_toy_1D.py, from the same seed."""
    np.random.seed(1234)
    x, new = np.linspace(-1, 1, 500)[:, None], np.linspace(-1, 1, 200)[:, None]
    y, new_y = [(row > 0) + 0.05 * np.random.randn(len(row), 1) for row in (x, new)]
    return x, y, new, new_y


def example(name, data, alpha, energies, predicted, **more):
    x, y, new, new_y = data
    mean, variance = (np.reshape(part, (-1, 1)) for part in predicted)
    return {
        "name": name, "alpha": alpha, "x": plain(x), "y": plain(y), "new": plain(new), "new_y": plain(new_y),
        "energy": energies[0], "energy_with_jitter": energies[1], "mean": plain(mean), "variance": plain(variance),
        **more,
    }  # fmt: skip


def geepee(folder, jitter, iterations):
    sys.path.insert(0, folder)
    from geepee import aep_models, base_models, vfe_models

    examples, data = [], wave()
    x, y, new, _ = data
    rows = len(x)

    def collapsed(alpha):
        model = vfe_models.SGPR_collapsed(x, y, INDUCING)
        model.optimise(method="L-BFGS-B", alpha=alpha, maxiter=1000, disp=False)
        hypers = model.get_hypers()

        def energy():
            return float(model.objective_function(hypers, None, alpha)[0]) * rows

        energies, usual = [energy()], vfe_models.JITTER
        predicted = model.predict_y(new, alpha)
        vfe_models.JITTER = jitter["sparse"] * float(np.exp(2 * np.ravel(hypers["sf"])[0]))
        energies.append(energy())
        with_jitter = [plain(np.reshape(part, (-1, 1))) for part in model.predict_y(new, alpha)]
        vfe_models.JITTER = usual
        theta = [*np.ravel(hypers["ls"]), 2 * np.ravel(hypers["sf"])[0], 2 * np.ravel(hypers["sn"])[0]]
        examples.append(
            example("sparse, collapsed", data, alpha, energies, predicted, theta=plain(theta), z=plain(hypers["zu"]),
                    mean_with_jitter=with_jitter[0], variance_with_jitter=with_jitter[1])
        )  # fmt: skip

    def layered(name, model, suffixes, alpha, most):
        model.optimise(method="L-BFGS-B", alpha=alpha, maxiter=most, disp=False)
        hypers = {key: np.copy(value) for key, value in model.get_hypers().items()}

        def energy():
            model.updated = False
            return float(model.objective_function(hypers, rows, alpha)[0]) * rows

        energies, predicted = [energy()], model.predict_y(new)
        usual = base_models.Base_SGP_Layer.compute_kuu

        def relative(layer):
            base_models.JITTER = jitter["deep"] * float(np.exp(2 * np.ravel(layer.sf)[0]))
            usual(layer)

        kept, base_models.Base_SGP_Layer.compute_kuu = base_models.JITTER, relative
        energies.append(energy())
        with_jitter = [plain(part) for part in model.predict_y(new)]
        base_models.JITTER, base_models.Base_SGP_Layer.compute_kuu = kept, usual
        layers = [
            {
                "lengthscales": plain(hypers["ls" + end]),
                "amplitude": 2 * float(np.ravel(hypers["sf" + end])[0]),
                "noise": 2 * float(np.ravel(hypers["sn"])[0]) if end == suffixes[-1] else None,
                "z": plain(hypers["zu" + end]),
                "factor": [plain(upper_factor(row, INDUCING)) for row in hypers["eta1_R" + end]],
                "shift": plain(hypers["eta2" + end]),
            }
            for end in suffixes
        ]
        examples.append(
            example(name, data, alpha, energies, predicted, layers=layers,
                    mean_with_jitter=with_jitter[0], variance_with_jitter=with_jitter[1])
        )  # fmt: skip

    for alpha in ALPHAS:
        np.random.seed(42)
        collapsed(alpha)
    for alpha in LAYERED_ALPHAS:
        np.random.seed(42)
        layered("one layer, tied", aep_models.SGPR(x, y, INDUCING), [""], alpha, iterations)
    np.random.seed(42)
    layered("two layers", aep_models.SDGPR(x, y, INDUCING, [2]), ["_0", "_1"], 1.0, iterations)
    return examples


def approxep(folder, jitter, iterations):
    sys.path.insert(0, os.path.join(folder, "numpy", "code"))
    import AEPDGP_net

    data = step()
    x, y, new, _ = data
    net = AEPDGP_net.AEPDGP_net(x, y, [2], [INDUCING] * 2, zu_tied=True)
    net.train(no_epochs=min(EPOCHS, iterations), no_points_per_mb=BATCH, lrate=RATE, compute_logZ=False)
    scaled, network = net.y_train_normalised, net.sepdgp_obj.network
    hypers = network.get_hypers()

    constant = 0.5 * len(x) * np.log(2 * np.pi)  # of the Gaussian likelihood, which this project leaves out

    def energy():
        value, _ = net.sepdgp_obj.compute_energy(hypers, x, scaled, len(x), compute_logZ=True)
        return float(np.ravel(value)[0]) + constant

    energies, predicted = [energy()], net.predict(new)
    usual = network.compute_kuu

    def relative():
        usual()
        for i in range(network.no_layers):
            more = jitter["deep"] * float(np.exp(2 * network.sf[i][0])) - network.jitter
            network.Kuu[i] = network.Kuu[i] + more * np.eye(INDUCING)
            network.Kuuinv[i] = np.linalg.inv(network.Kuu[i])

    network.compute_kuu = relative
    energies.append(energy())
    with_jitter = [plain(part) for part in net.predict(new)]
    layers = [
        {
            "lengthscales": plain(hypers["ls"][i]),
            "amplitude": 2 * float(hypers["sf"][i][0]),
            "noise": 2 * float(hypers["sn"][i][0]),
            "z": plain(hypers["zu"][i]),
            "factor": [plain(upper_factor(row, INDUCING)) for row in hypers["eta1_R"][i]],
            "shift": plain(hypers["eta2"][i]),
        }
        for i in range(2)
    ]
    return [
        example("two layers", data, 1.0, energies, predicted, layers=layers, scaled=True,
                mean_with_jitter=with_jitter[0], variance_with_jitter=with_jitter[1])
    ]  # fmt: skip


def main():
    project, folder, jitters, iterations = sys.argv[1:]
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):  # both print their progress
        examples = {"geepee": geepee, "approxep": approxep}[project](folder, json.loads(jitters), int(iterations))
    sys.stdout.write(json.dumps(examples) + "\n")


if __name__ == "__main__":
    main()
