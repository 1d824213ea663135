"""Commands of the person's system: started, watched, ended with all that they started (spec 04)."""
