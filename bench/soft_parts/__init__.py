"""What others make of the same soft rows (peers.py), and what four times as many cost (growth.py)."""
