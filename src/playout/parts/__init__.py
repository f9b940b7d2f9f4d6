"""What policies and backups share: each is one class whose functions are compiled."""
