"""The page inspector: a page's picture with a passage marked, its text, and what the model saw (R-UI-3, R-UI-4)."""
