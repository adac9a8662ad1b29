"""The methods of Ax's client, with a constraint that is not linear and a trial that fails; Ax itself is not needed.

pip install tunepass
python samples/integrations/ax_client.py
"""

from tunepass.integrations.ax import ChoiceParameterConfig, Client, RangeParameterConfig

client = Client(random_seed=0)
client.configure_experiment(
    parameters=[
        ChoiceParameterConfig(name="tile", values=[8, 16, 32, 64], parameter_type="int", is_ordered=True),
        RangeParameterConfig(name="unroll", bounds=(1, 8), parameter_type="int"),
        RangeParameterConfig(name="share", bounds=(0.0, 1.0), parameter_type="float"),
    ],
    parameter_constraints=["tile % unroll == 0"],
)
client.configure_optimization(objective="-seconds")
for _ in range(8):
    for index, p in client.get_next_trials(max_trials=2).items():
        if p["tile"] * p["unroll"] > 256:  # such a kernel does not fit: a made-up limit and a made-up cost
            client.mark_trial_failed(trial_index=index)
            continue
        seconds = abs(p["tile"] - 32) / 8 + 4 / p["unroll"] + p["share"]
        client.complete_trial(trial_index=index, raw_data={"seconds": seconds})
parameters, metrics, index, _ = client.get_best_parameterization()
print(f"best time: {metrics['seconds'][0]:.3f} s in trial {index} with {parameters}")
