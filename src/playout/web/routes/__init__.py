"""The addresses under /v1, a file for each subject. A route only translates: `Session` and `views` do the work."""
