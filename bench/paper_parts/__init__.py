"""Parts of bench/paper, one module per idea."""
