"""tunepass with the shape of Ax's client: `configure_experiment`, `get_next_trials`, `complete_trial`. Needs no Ax.

    from tunepass.integrations.ax import ChoiceParameterConfig, Client, RangeParameterConfig

Source: `ax.api.client`, `ax.api.configs` and their docstrings in Ax 1.3.1.
"""

from tunepass.integrations.ax.client import Client as Client
from tunepass.integrations.ax.configs import ChoiceParameterConfig as ChoiceParameterConfig
from tunepass.integrations.ax.configs import DerivedParameterConfig as DerivedParameterConfig
from tunepass.integrations.ax.configs import RangeParameterConfig as RangeParameterConfig
from tunepass.integrations.ax.trials import TrialStatus as TrialStatus
