"""`python -m almunia` is the command `almunia`."""

import sys

from .cli import main

sys.exit(main())
