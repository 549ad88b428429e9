"""The pages, a file for each step: what is shown (PAGES) and what forms ask for (POSTS)."""
