"""What people start: the command line (`cli`) and the server."""
