#!/usr/bin/env python3
"""Exercises for authors: `./learn author` runs this. See docs/contributing.md."""
import sys

from author.command import main

if __name__ == "__main__":
    sys.exit(main())
