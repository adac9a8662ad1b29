"""Fields of scenarios by tuner: their types, and which have an effect here.

Sources: `hypermapper/schema.json` of HyperMapper 2.2.13 (65 fields) and of HyperMapper 3 (51), `baco/schema.json` (55).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from tunepass.interchange.hypermapper.image_settings import FIELDS as IMAGE_FIELDS

Tuner = Literal["HyperMapper 2", "BaCO", "HyperMapper 3"]
TUNERS: tuple[Tuner, ...] = ("HyperMapper 2", "BaCO", "HyperMapper 3")

# Tuners that know the fields, each with its type in JSON.
_GROUPS: tuple[tuple[tuple[Tuner, ...], Mapping[str, str]], ...] = (
    (
        TUNERS,
        {
            "string": "application_name log_file timestamp run_directory output_data_file acquisition_function "
            "optimization_method acquisition_function_optimizer",
            "boolean": "noise normalize_inputs resume_optimization regularize_evolution",
            "integer": "optimization_iterations number_of_repetitions local_search_starting_points "
            "local_search_random_points prior_limit_estimation_points",
            "number": "time_budget epsilon_greedy_threshold prior_floor model_good_quantile",
            "object": "models feasible_output design_of_experiment input_parameters",
            "array": "optimization_objectives",
        },
    ),
    (
        ("HyperMapper 2",),
        {
            "string": "profiling_file output_pareto_file scalarization_method weight_sampling scalarization_key "
            "prior_method resume_optimization_data",
            "boolean": "verbose_logging profiling append_profiles print_parameter_importance "
            "estimate_multivariate_priors",
            "integer": "number_of_cpus max_number_of_predictions evaluations_per_optimization_iteration "
            "local_search_evaluation_limit bandwidth_parameter bandwidth_n_factor cma_es_starting_points "
            "cma_es_random_points",
            "number": "prior_beta model_posterior_weight posterior_computation_lower_limit cma_es_sigma",
            "object": "output_image",
            "array": "bounding_box_limits local_search_scalarization_weights custom_gaussian_prior_means "
            "custom_gaussian_prior_stds",
            "string or boolean": "print_best",
        },
    ),
    (
        ("HyperMapper 2", "HyperMapper 3"),
        {"object": "hypermapper_mode", "integer": "batch_size", "boolean": "print_posterior_best"},
    ),
    (
        ("HyperMapper 2", "BaCO"),
        {
            "string": "prior_estimation_file",
            "number": "prior_estimation_quantile",
            "integer": "evolution_population_size evolution_generations mutation_rate",
            "boolean": "evolution_crossover",
        },
    ),
    (
        ("BaCO", "HyperMapper 3"),
        {
            "boolean": "allow_duplicate_samples local_search_from_best log_acq_value log_transform_output "
            "multistart_hyperparameter_optimization naive_cot_rs predict_noiseless reuse_gp_hyperparameters "
            "standardize_objectives",
            "number": "exploration_augmentation local_search_improvement_threshold local_search_step_size "
            "model_weight objective_value_target",
            "integer": "hyperparameter_optimization_iterations reoptimise_hyperparameters_interval",
            "string": "GP_model resume_optimization_file",
            "object": "lengthscale_prior noise_prior outputscale_prior",
        },
    ),
    (("BaCO",), {"object": "baco_mode", "boolean": "use_STGP"}),
    (  # of earlier versions: in scenarios that BaCO ships, and not in its schema
        ("BaCO",),
        {
            "array": "lengthscale_constraints",
            "integer": "multistart_hyperparameter_optimization_initial_points "
            "multistart_hyperparameter_optimization_iterations",
        },
    ),
    (("HyperMapper 3",), {"boolean": "use_cot"}),
)
TYPES: Mapping[str, str] = {
    name: kind for _, kinds in _GROUPS for kind, names in kinds.items() for name in names.split()
}
KNOWN: Mapping[Tuner, frozenset[str]] = {
    tuner: frozenset(
        name for tuners, kinds in _GROUPS if tuner in tuners for names in kinds.values() for name in names.split()
    )
    for tuner in TUNERS
}
EFFECTIVE = frozenset(
    {
        *("application_name", "log_file", "timestamp", "run_directory", "output_data_file", "output_pareto_file"),
        *("optimization_method", "optimization_iterations", "evaluations_per_optimization_iteration", "time_budget"),
        *("resume_optimization", "resume_optimization_data", "resume_optimization_file", "print_best"),
        *("input_parameters", "optimization_objectives", "feasible_output", "design_of_experiment"),
        *("hypermapper_mode", "baco_mode", "output_image"),
    }
)
# Fields of objects. Those of `feasible_output`, `design_of_experiment` and the modes that have an effect:
NESTED_EFFECTIVE: Mapping[str, frozenset[str]] = {
    "feasible_output": frozenset({"name", "true_value", "false_value", "enable_feasible_predictor"}),
    "design_of_experiment": frozenset({"doe_type", "number_of_samples"}),
}
NESTED: Mapping[str, frozenset[str]] = {
    "feasible_output": NESTED_EFFECTIVE["feasible_output"]
    | {
        "enable_feasible_predictor_grid_search_on_recall_and_precision",
        "feasible_predictor_grid_search_validation_file",
        "feasibility_threshold",
    },
    "design_of_experiment": NESTED_EFFECTIVE["design_of_experiment"] | {"allow_repetitions"},
    "hypermapper_mode": frozenset({"mode", "exhaustive_search_file"}),
    "baco_mode": frozenset({"mode", "exhaustive_search_file"}),
    "output_image": IMAGE_FIELDS,
}


def tuner_of(names: Iterable[str], *, has_constraints: bool) -> Tuner:
    """The tuner whose scenario has these fields: by its mode, else the one that knows the most of them."""
    given = set(names)
    if "baco_mode" in given:
        return "BaCO"
    if has_constraints and "hypermapper_mode" not in given:
        return "BaCO"
    if has_constraints:
        return "HyperMapper 3"
    return min(TUNERS, key=lambda tuner: len(given - KNOWN[tuner]))


def effective(name: str, tuner: Tuner) -> bool:
    """Does a field of this tuner's scenario have an effect here?"""
    return name in EFFECTIVE or (name == "batch_size" and tuner == "HyperMapper 3")
