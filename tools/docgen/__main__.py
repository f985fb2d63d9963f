"""With --check nothing is written, and the exit code is 1 if a file is out of date."""

import argparse

from tools.docgen import check, update

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
(check if options.parse_args().check else update)()
