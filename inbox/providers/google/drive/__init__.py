"""Google Drive: the files of an account, by ids that stay."""
