"""Disclosure: what an intruder finds and learns, whatever the protection."""
