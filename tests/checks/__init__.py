"""Each rule of `check` is provoked; the world outside is real TLS to embedded servers."""
