"""tunepass as a search technique of pyATF, whose constraints of one parameter on another it keeps.

pip install 'tunepass[pyatf]'
python samples/integrations/pyatf_technique.py
"""

from pyatf import TP, Interval, Tuner
from pyatf.abort_conditions import Evaluations

from tunepass.integrations.pyatf import TunepassTechnique

block = TP("block", Interval(1, 32))
thread = TP("thread", Interval(1, 32), lambda thread, block: block % thread == 0)
technique = TunepassTechnique([block, thread], seed=0)
tuner = Tuner().tuning_parameters(block, thread).search_technique(technique).verbosity(0)
configuration, cost, _ = tuner.tune(lambda c: abs(c["block"] - 24) + abs(c["thread"] - 8) / 4, Evaluations(20))
print(f"lowest cost: {cost:.2f} with block={configuration['block']}, thread={configuration['thread']}")
