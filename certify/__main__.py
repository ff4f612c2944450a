"""The command `certify`, also as `python -m certify`."""

import sys


def main() -> None:
    """Run the command; an interrupt is no traceback, even while its modules are loaded."""
    try:
        from certify.cli import main as run

        run()
    except KeyboardInterrupt:  # before there was a command
        print("certify: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
