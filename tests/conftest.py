"""The worked example is a project of its own; ``tests/verify/test_pytest_plugin.py`` runs its tests."""

collect_ignore = ["worked_example"]
