"""The pages, one module per subject; short handlers, bound to their paths by `api.dashboard.routing`.

Does not belong here: sessions (`api.dashboard.sessions`), or templates (`api.dashboard.templating`).
"""

from api.dashboard.pages.api_keys import create_key, list_keys, revoke_key, show_key
from api.dashboard.pages.assets import get_asset
from api.dashboard.pages.deliveries import create_replay, retry_delivery, show_delivery, show_replay
from api.dashboard.pages.explorer import list_operations, show_operation_form, try_operation
from api.dashboard.pages.operator import show_operation
from api.dashboard.pages.plan import begin_plan, cancel_plan, manage_plan, show_plan
from api.dashboard.pages.sessions import end_other_sessions, end_session, list_sessions
from api.dashboard.pages.sign_in import ask_for_link, mail_link, open_link, show_sent, sign_in, sign_out
from api.dashboard.pages.usage import show_usage
from api.dashboard.pages.webhooks import (
    change_status,
    change_webhook,
    create_webhook,
    delete_webhook,
    edit_webhook,
    list_webhooks,
    rotate_secret,
    show_secret,
    show_webhook,
    test_webhook,
)
from api.http.routing import to_litestar_handlers

PAGES = to_litestar_handlers(
    (
        show_usage,
        show_plan,
        begin_plan,
        manage_plan,
        cancel_plan,
        ask_for_link,
        mail_link,
        show_sent,
        open_link,
        sign_in,
        sign_out,
        list_keys,
        create_key,
        show_key,
        revoke_key,
        list_sessions,
        end_session,
        end_other_sessions,
        list_webhooks,
        create_webhook,
        show_webhook,
        edit_webhook,
        change_webhook,
        change_status,
        rotate_secret,
        show_secret,
        test_webhook,
        delete_webhook,
        show_delivery,
        retry_delivery,
        create_replay,
        show_replay,
        list_operations,
        show_operation_form,
        try_operation,
        show_operation,
        get_asset,
    )
)
