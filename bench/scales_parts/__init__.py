"""Problems in mixed units with planted optima (problems.py) and the solvers they are given to (solvers.py)."""
