"""Tests of the client: `python3 -m unittest discover -s tests -t .` in this folder."""
