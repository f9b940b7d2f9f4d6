"""What every layer may use: checks of arguments, declarations of settings, files on disk, users' source files."""
