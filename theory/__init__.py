"""What the papers claim: symbols, claims, schedules and their asymptotics. Runs nothing."""
