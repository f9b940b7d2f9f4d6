"""What policies and backups have in common: one class each, compiled with the search."""
