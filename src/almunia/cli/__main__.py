"""`python -m almunia.cli` is the command `almunia`."""

import sys

from . import main

sys.exit(main())
