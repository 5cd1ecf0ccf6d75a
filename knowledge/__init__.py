"""Opening a KG once, with everything learned from it."""
