"""Committees: what yields P (M, N, K). `base` says what a committee is; `unlike` is the default one."""
