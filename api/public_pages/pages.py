"""The routes of all pages for everyone, one module per subject."""

from api.http.routing import handlers_in
from api.public_pages import assets, docs, home, llms_text, problem_pages, reference, status

PUBLIC_ROUTES = handlers_in(home, status, problem_pages, llms_text, docs, reference, assets)
