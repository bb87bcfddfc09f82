"""The developers' side: builds the single file and the release archive; never shipped to a site."""
