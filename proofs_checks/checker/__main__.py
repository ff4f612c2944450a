"""The command `proofs-check`, also as `python -m proofs_checks.checker PATH...`."""

import sys


def main() -> int:
    """Run the command; an interrupt is no traceback, even while its modules are loaded."""
    try:
        from proofs_checks.checker.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("proofs-check: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
