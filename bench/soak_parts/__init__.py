"""The parts of bench/soak: problems that are drawn, what is false about an answer, disturbances, the hours so far."""
