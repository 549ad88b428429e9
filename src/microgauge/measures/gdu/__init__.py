"""Global data utility: Kocar, S. (2018). A universal global measure of univariate and bivariate
data utility for anonymised microdata. CSRM & SRC Methods Paper 4/2018, Australian National
University.
"""
