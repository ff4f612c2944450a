"""`python -m certify`: the command without its installed name."""

from certify.cli import main

main()
