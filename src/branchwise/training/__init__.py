"""Training: settings and presets, batches, the trainer and its checkpoints."""
