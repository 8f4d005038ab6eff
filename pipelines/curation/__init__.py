"""Work of persons on the data: decisions on holders, and the review list of news without a company."""
