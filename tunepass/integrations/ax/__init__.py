"""tunepass with the shape of Ax's client: `configure_experiment`, `get_next_trials`, `complete_trial`. Needs no Ax.

    from tunepass.integrations.ax import ChoiceParameterConfig, Client, RangeParameterConfig
    from tunepass.integrations.ax import AxClient, ObjectiveProperties  # the service API

Source: `ax.api.client`, `ax.api.configs`, `ax.service.ax_client` and their docstrings in Ax 1.3.1.
"""

from tunepass.integrations.ax.client import Client as Client
from tunepass.integrations.ax.configs import ChoiceParameterConfig as ChoiceParameterConfig
from tunepass.integrations.ax.configs import DerivedParameterConfig as DerivedParameterConfig
from tunepass.integrations.ax.configs import RangeParameterConfig as RangeParameterConfig
from tunepass.integrations.ax.service import AxClient as AxClient
from tunepass.integrations.ax.service import ObjectiveProperties as ObjectiveProperties
from tunepass.integrations.ax.service import optimize as optimize
from tunepass.integrations.ax.trials import TrialStatus as TrialStatus
