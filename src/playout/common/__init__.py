"""What every layer above the core may use: argument checks, declarations of settings, files, users' source files."""
