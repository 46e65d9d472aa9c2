"""The paper, reproduced: datasets, methods and scores, each in a room of its own."""
