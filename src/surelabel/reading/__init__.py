"""What a user brings, read: y, X, what each column is, class frequencies."""
