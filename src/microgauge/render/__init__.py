"""Results as text, pages, pictures, data frames and notebook views: knows results only."""
