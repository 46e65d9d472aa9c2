"""What every room may use: notices, versions, durations, limits, types."""
