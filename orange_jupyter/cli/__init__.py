"""The command line: other programs drive it, so its documents and exit statuses are the contract (R-HL-2, R-SCH-10)."""
