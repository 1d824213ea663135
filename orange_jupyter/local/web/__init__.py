"""The web from this machine: addresses, connections, pages and searches (spec 05, R-WEB-1…3)."""
