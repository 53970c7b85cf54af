"""A second kernel: certificates of proofs as theorems that Rocq checks, with its standard library alone."""
