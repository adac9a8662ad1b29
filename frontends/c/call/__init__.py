"""From a `kernel` pragma to the call that the harness makes."""
