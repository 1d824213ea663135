"""Sessions, transcript, evidence and decisions in SQLite under ORANGE_HOME."""
