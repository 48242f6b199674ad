"""Web Push: what a browser is told though no page is open, sealed for it alone."""
