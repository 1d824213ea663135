"""Hands that change the disk: whole steps or none, journalled, recovered after a crash (R-CHG-4 to R-CHG-9)."""
