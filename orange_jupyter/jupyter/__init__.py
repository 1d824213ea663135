"""The notebook: magic, runtime, approver, record and controls."""
