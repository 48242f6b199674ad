"""Learning from the owner: training, opinions beside the rules, turned on by people only."""
