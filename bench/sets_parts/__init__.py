"""The parts of bench/sets and bench/sparse: instances, linear and quadratic programs, other solvers, tables."""
