"""The review of changes: what a person sees of them, decides, and what stays in the notebook (R-CHG-2)."""
