"""The report of a reproduction, as a web page."""
