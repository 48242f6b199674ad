"""The first hour in the browser: owner, workspace, mail, an agent, its call, notices, two steps."""
