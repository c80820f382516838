"""The pytest plugin: collects `*.tenure.yaml`, each expectation as an item."""
