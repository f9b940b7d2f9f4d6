"""`python -m playout` is the command `playout`."""

import sys

from .cli import main

sys.exit(main())
