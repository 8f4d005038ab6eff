"""De-duplication of news and of regulatory notices that several sources carry."""
