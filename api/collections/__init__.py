"""Request collections for API clients, generated from the OpenAPI document.

For Postman and Bruno; Insomnia imports both. `make generate` writes them; a test compares the committed
files with its output. Does not belong here: anything that the running service needs.
"""
