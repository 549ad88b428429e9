"""Both files together: propensity scores, clusters, distribution functions."""
