from tunepass.integrations.optuna import TunepassSampler, suggest

__all__ = ["TunepassSampler", "suggest"]
