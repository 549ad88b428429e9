"""Results as text, JSON, data frames and notebook views. Renderers know results, not measures."""
