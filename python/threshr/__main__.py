"""`python -m threshr` runs the program."""

import sys

from threshr._program import main

sys.exit(main())
