"""Static files as the project serves them, but looked for once a process.

Every test client makes the middleware anew, and each would look for every file and read its state.
"""

from whitenoise.responders import StaticFile

from project.middleware.static_files import StaticFilesMiddleware

_found: dict[str, dict[str, StaticFile]] = {}


class FoundOnce(StaticFilesMiddleware):
    def add_files_from_finders(self):
        if self.static_prefix not in _found:
            super().add_files_from_finders()
            _found[self.static_prefix] = dict(self.files)
        self.files = dict(_found[self.static_prefix])
