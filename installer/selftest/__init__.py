"""The proof that a site can run itself: power cuts on its own machine, kernel and file systems."""
