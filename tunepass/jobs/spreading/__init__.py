"""Computing for models and tables that other processes do a share of; tasks and answers are JSON text."""
