"""Finding mail by what it means, with a small model on this machine: an extra, switched on."""
