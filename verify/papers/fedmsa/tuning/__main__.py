"""The command of the package."""

from rateproof.verify.papers.fedmsa.tuning import main

raise SystemExit(main())
