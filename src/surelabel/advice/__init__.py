"""What a person could do next: rows to label, given labels to look at, labels to check, when to stop."""
