"""Makes the account that the benchmarks import into."""

from bench.imports import ADDRESS
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.workspaces import create_workspace

if __name__ == "__main__":
    create_account(workspace=create_workspace(name="Bench", slug="bench"), address=ADDRESS)
