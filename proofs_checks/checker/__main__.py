"""`python -m proofs_checks.checker PATH...`: the command `proofs-check`."""

import sys

from proofs_checks.checker.cli import main

if __name__ == "__main__":
    sys.exit(main())
