"""How providers are spoken with over HTTP: signed in, counted, bounded, never sent on elsewhere."""
