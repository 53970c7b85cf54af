"""The experiments of the paper's Section 6, rerun; what it does not print is a declared parameter of each plan."""
