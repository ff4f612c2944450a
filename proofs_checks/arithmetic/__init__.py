"""Other arithmetics for the checker, each loaded only when `proofs-check --arithmetic` names it."""
