"""Tables of two files in the same cells: how many units stand in another one."""
