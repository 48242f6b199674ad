"""Work in the background: durable jobs, their order, workers, and what is periodic."""
