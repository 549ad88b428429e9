"""Everything known before the first measure."""
