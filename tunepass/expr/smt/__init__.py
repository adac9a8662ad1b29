"""Expressions as SMT-LIB 2: integers exactly, reals as real numbers with a bound on what doubles differ from them."""
