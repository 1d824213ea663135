"""Changes as values: proposals, diffs, what depends on what, and what is written when a person accepts (R-CHG-*)."""
