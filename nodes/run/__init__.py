"""What every method's stages share: state, context, answer, review, access."""
