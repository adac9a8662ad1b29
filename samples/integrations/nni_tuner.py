"""tunepass as the tuner of an NNI experiment: this program starts the experiment, and is its trial too.

pip install 'tunepass[nni]'
python samples/integrations/nni_tuner.py
"""

import sys
from pathlib import Path

import nni
from nni.experiment import CustomAlgorithmConfig, Experiment

if "trial" in sys.argv:
    chosen = nni.get_next_parameter()
    nni.report_final_result(abs(chosen["tile"] - 24) + 4 / chosen["unroll"])  # a made-up cost
else:
    experiment = Experiment("local")
    experiment.config.trial_command = f"{sys.executable} {Path(__file__).name} trial"
    experiment.config.trial_code_directory = Path(__file__).parent
    experiment.config.search_space = {
        "tile": {"_type": "randint", "_value": [1, 65]},
        "unroll": {"_type": "choice", "_value": [1, 2, 4, 8]},
    }
    experiment.config.tuner = CustomAlgorithmConfig(
        class_name="tunepass.integrations.nni.TunepassTuner",
        class_args={"optimize_mode": "minimize", "seed": 0, "constraints": ["tile % unroll == 0"]},
    )
    experiment.config.max_trial_number = 4
    experiment.config.trial_concurrency = 1
    experiment.run(port=8090)
    best = min(experiment.export_data(), key=lambda trial: trial.value)
    print(f"lowest cost: {best.value:.2f} with {best.parameter}")
    experiment.stop()
