"""The agent itself: pure values and one async loop; no Jupyter, network, disk, clock or process."""
