"""Style sheets and scripts as browsers get them: joined into one each, named by their content."""
