"""`python -m proofs_checks.coq PATH...`: see run.py."""

import sys

from proofs_checks.coq.run import main

if __name__ == "__main__":
    sys.exit(main())
