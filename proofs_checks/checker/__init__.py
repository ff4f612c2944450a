"""The checker: standard library only, small enough to be read in one sitting."""
