"""What `edit` and `write` share: where a change acts, what must not be written, how a proposal is answered."""
