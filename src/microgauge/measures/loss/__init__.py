"""Information loss: values, tables and statistics before and after (the SDC practice guide)."""
