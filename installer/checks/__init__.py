"""What `check` looks at: each rule has a stable code (rules.py), each area a module that asks and changes nothing."""
