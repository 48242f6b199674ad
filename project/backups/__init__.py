"""Backups: one file with the database, the stored bytes and, encrypted, the keys; and the way back.

The file is a tar archive: `manifest.json` first, then `database/…`, perhaps `keys.json`, then
`media/…`, `exchange/…` and `mail/…`.
"""
