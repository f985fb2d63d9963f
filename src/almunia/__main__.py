"""Run the command `almunia` for `python -m almunia`."""

import sys

from .cli import main

sys.exit(main())
