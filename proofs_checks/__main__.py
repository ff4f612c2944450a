"""`python -m proofs_checks PATH...`: the command `proofs-check`, runnable from a bare checkout."""

import sys

from proofs_checks.checker.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
