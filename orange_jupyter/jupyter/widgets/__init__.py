"""One widget a file; functions of state, no policy and no I/O."""
