"""The command line: a half-labelled file in, labels and a model out."""
