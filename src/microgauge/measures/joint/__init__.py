"""Global measures of the joint distribution: Woo, M.-J., Reiter, J. P., Oganian, A. and Karr, A. F.
(2009). Global measures of data utility for microdata masked for disclosure limitation. Journal of
Privacy and Confidentiality 1(1), 111–124.
"""
