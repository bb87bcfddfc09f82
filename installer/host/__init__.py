"""The only place with effects: one adapter a port."""
