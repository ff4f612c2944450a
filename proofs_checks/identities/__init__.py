"""The identities of the theorem pages: stated, proved by sympy for every N, exported.

The other modules hold the statements by domain; `proof` proves and refutes them;
`python -m proofs_checks.identities` writes them to the checker's statements.json. Sympy is needed
here and nowhere else.
"""
