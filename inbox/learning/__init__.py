"""A linear model learned from what people decide: features, training, calibration. No Django."""
