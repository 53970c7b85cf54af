"""The command of this package."""

from rateproof.verify.papers.fedmsa.risk import main

raise SystemExit(main())
