"""Measuring: metrics, readers of public data sets, the sample's own score, and the benchmark."""
