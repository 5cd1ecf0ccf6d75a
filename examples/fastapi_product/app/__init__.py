"""A product's own `app` package: Trivium installs no package of that name."""
