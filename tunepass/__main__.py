"""`python -m tunepass` is `tunepass`."""

import sys

from tunepass.cli import main

sys.exit(main())
