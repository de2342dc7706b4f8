"""From a trained model to label sets: which symbol may follow, and the loop that chooses."""
