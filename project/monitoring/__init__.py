"""What machines and operators watch: health, metrics, the log, spans."""
