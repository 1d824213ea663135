"""The processes beside the kernel that watch over commands. Standard library only; a kernel never imports them."""
