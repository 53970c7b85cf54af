"""STIX Two Math, cut; ``OFL.txt`` is its licence."""
