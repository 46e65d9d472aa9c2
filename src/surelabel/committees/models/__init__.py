"""Single models for the default committee, each in its file; `default` is the list of them."""
