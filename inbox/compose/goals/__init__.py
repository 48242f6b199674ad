"""What the goal of a reply tells the writer to do: parted into clauses, each an instruction."""
