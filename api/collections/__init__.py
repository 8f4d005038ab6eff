"""Collections of requests for API clients (Postman, Bruno; Insomnia imports both), made from the OpenAPI document.

`python -m api.collections FOLDER` writes them; a test holds the committed ones to what it writes. Does not belong
here: anything that the running service needs.
"""
