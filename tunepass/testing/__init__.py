"""The contracts of the roles, as pytest classes: what a frontend, a strategy, an embedding compiler, ... must do.

A test class inherits a contract and overrides its fixtures, those that raise NotImplementedError:

    class TestHillClimber(StrategyContract):
        @pytest.fixture
        def build(self) -> Build:
            return HillClimber

The functions beside the classes (`small_space`, `task`, `drive`, ...) are for further tests of the same role.
"""

from __future__ import annotations

import pytest

# Before they are imported, so that a failing assertion shows its values in the tests of other packages too.
pytest.register_assert_rewrite(
    *(
        f"tunepass.testing.{role}"
        for role in (
            *("acquisition", "backend", "cost_model", "embedding", "evaluator", "exact_solver", "executor"),
            *("frontend", "joint_acquisition", "pruning_solver", "strategy", "surrogate"),
        )
    )
)

from tunepass.testing.acquisition import AcquisitionContract as AcquisitionContract  # noqa: E402
from tunepass.testing.backend import BackendContract as BackendContract  # noqa: E402
from tunepass.testing.cost_model import CostModelContract as CostModelContract  # noqa: E402
from tunepass.testing.embedding import EmbeddingContract as EmbeddingContract  # noqa: E402
from tunepass.testing.embedding import Tune as Tune  # noqa: E402
from tunepass.testing.evaluator import EvaluatorContract as EvaluatorContract  # noqa: E402
from tunepass.testing.exact_solver import ExactSolverContract as ExactSolverContract  # noqa: E402
from tunepass.testing.executor import ExecutorContract as ExecutorContract  # noqa: E402
from tunepass.testing.frontend import FrontendContract as FrontendContract  # noqa: E402
from tunepass.testing.joint_acquisition import JointAcquisitionContract as JointAcquisitionContract  # noqa: E402
from tunepass.testing.process_state import ProcessCounts as ProcessCounts  # noqa: E402
from tunepass.testing.process_state import ProcessSettings as ProcessSettings  # noqa: E402
from tunepass.testing.pruning_solver import PruningSolverContract as PruningSolverContract  # noqa: E402
from tunepass.testing.strategy import Build as Build  # noqa: E402
from tunepass.testing.strategy import StrategyContract as StrategyContract  # noqa: E402
from tunepass.testing.strategy import drive as drive  # noqa: E402
from tunepass.testing.strategy import price as price  # noqa: E402
from tunepass.testing.strategy import small_space as small_space  # noqa: E402
from tunepass.testing.strategy import task as task  # noqa: E402
from tunepass.testing.surrogate import SurrogateContract as SurrogateContract  # noqa: E402
