"""What the Danish registers publish about a company of the world: CVR, publications and their documents."""
