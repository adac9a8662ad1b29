"""Processes of a Dask cluster as an executor: computing and evaluations there, the study here.

The client (`session`, `evaluator`) hands out one configuration a worker at a time as JSON text; a worker (`worker`)
makes the evaluator from text once, and answers with JSON text. `exchange` is the only module that knows both.
"""
