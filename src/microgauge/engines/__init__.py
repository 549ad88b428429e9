"""Where rows are. An engine folds passes over the rows of a table and knows nothing of measures."""
