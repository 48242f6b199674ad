"""The pictures in the docs, made from the demo: `python -m docs.screenshots`."""
