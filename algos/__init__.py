"""What the papers run: problems with exact constants, methods, engines. Knows no claim."""
