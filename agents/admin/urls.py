"""The addresses of the queue and the review pages, below /admin/."""

from django.contrib import admin
from django.urls import path

from agents.admin import device_page
from agents.admin.activities.urls import urlpatterns as activity_urls
from agents.admin.by_hand.urls import urlpatterns as hand_urls
from agents.admin.files import views as files_page
from agents.admin.language_model import views as model_page
from agents.admin.members import away as away_page
from agents.admin.members import views as members_page
from agents.admin.noted import views as noted_page
from agents.admin.notices import live as notices_live
from agents.admin.notices import push as notices_push
from agents.admin.notices import views as notices_page
from agents.admin.origins import views as origins_page
from agents.admin.oversight import planted as planted_page
from agents.admin.oversight import views as oversight_page
from agents.admin.planning import events as event_pages
from agents.admin.planning import todos as todo_pages
from agents.admin.queue import batch_page, held
from agents.admin.queue import peek as peek_page
from agents.admin.queue import saved as saved_page
from agents.admin.queue import views as queue_page
from agents.admin.review import actions, watching
from agents.admin.review import views as review_page
from agents.admin.threads import actions as thread_actions
from agents.admin.writing import views as writing_page

_page = admin.site.admin_view
_review = "review/<str:public_id>/"
_planted = "oversight/planted/"
_members = "members/<int:workspace_id>/"

urlpatterns = [
    *hand_urls,
    path("", _page(queue_page.queue), name="queue"),
    path("queue/filters/", _page(saved_page.save), name="queue-filter-save"),
    path("queue/filters/<int:key>/remove/", _page(saved_page.remove), name="queue-filter-remove"),
    path("queue/held/", _page(held.decide_held), name="queue-held"),
    path("queue/batch/", _page(batch_page.batch), name="batch"),
    path("queue/batch/approve/", _page(batch_page.approve_batch), name="batch-approve"),
    path("queue/batch/undo/", _page(batch_page.undo), name="batch-undo"),
    path("queue/batch/<uuid:batch_id>/state/", _page(batch_page.state), name="batch-state"),
    path("queue/batch/dismiss/", _page(batch_page.dismiss_batch), name="batch-dismiss"),
    path("queue/batch/snooze/", _page(batch_page.snooze_batch), name="batch-snooze"),
    path("queue/peek/<str:public_id>/", _page(peek_page.peek), name="peek"),
    path("oversight/", _page(oversight_page.oversight), name="oversight"),
    path(_planted, _page(planted_page.planted), name="oversight-planted"),
    path(f"{_planted}figures/", _page(planted_page.figures), name="planted-figures"),
    path(f"{_planted}<int:workspace_id>/", _page(planted_page.switch), name="planted-switch"),
    path("oversight/<str:public_id>/check/", _page(oversight_page.check), name="oversight-check"),
    path("me/notices/", _page(notices_page.notices), name="notices"),
    path("me/notices/confirm/", _page(notices_page.confirm), name="notices-confirm"),
    path("me/notices/code/", _page(notices_page.code), name="notices-code"),
    path("me/notices/push/", _page(notices_push.add), name="push-add"),
    path("me/notices/push/<int:row_id>/remove/", _page(notices_push.remove), name="push-remove"),
    path("me/notices/state/", _page(notices_live.state), name="notices-state"),
    path("me/away/", _page(away_page.away), name="away"),
    path("me/away/<int:workspace_id>/", _page(away_page.leave), name="away-leave"),
    path("me/away/<int:workspace_id>/back/", _page(away_page.back), name="away-back"),
    path("members/", _page(members_page.everywhere), name="members-everywhere"),
    path(_members, _page(members_page.members), name="members"),
    path(f"{_members}add/", _page(members_page.add), name="member-add"),
    path(f"{_members}<int:pk>/role/", _page(members_page.change), name="member-change"),
    path(f"{_members}<int:pk>/remove/", _page(members_page.remove), name="member-remove"),
    path(f"{_members}<int:pk>/password/", _page(members_page.reset), name="member-password"),
    path("model/", _page(model_page.language_model), name="language-model"),
    path("model/<int:workspace_id>/", _page(model_page.switch), name="language-model-switch"),
    path("files/", _page(files_page.files), name="files"),
    path("files/<str:public_id>/", _page(files_page.file), name="file"),
    path("files/<str:public_id>/restore/", _page(files_page.restore), name="file-restore"),
    path("noted/", _page(noted_page.queue), name="noted-queue"),
    path("noted/forget/", _page(noted_page.forget_page), name="noted-forget"),
    path("noted/forget/all/", _page(noted_page.forget_source), name="noted-forget-all"),
    path("noted/<str:public_id>/", _page(noted_page.item), name="noted"),
    path("noted/<str:public_id>/approve/", _page(noted_page.approve), name="noted-approve"),
    path("noted/<str:public_id>/reject/", _page(noted_page.reject), name="noted-reject"),
    path("origins/<str:public_id>/", _page(origins_page.origin), name="origin"),
    path("origins/<str:public_id>/raise/", _page(origins_page.raise_origin), name="origin-raise"),
    path("threads/<str:public_id>/status/", _page(thread_actions.move), name="thread-status"),
    path("threads/<str:public_id>/labels/", _page(thread_actions.label), name="thread-label"),
    path("write/", _page(writing_page.write), name="write"),
    path("write/<str:public_id>/", _page(writing_page.write_on), name="write-on"),
    path("write/<str:public_id>/discard/", _page(writing_page.discard), name="write-discard"),
    path("events/new/", _page(event_pages.new_event), name="event-new"),
    path("events/<str:public_id>/change/", _page(event_pages.change_event), name="event-change"),
    path("events/<str:public_id>/cancel/", _page(event_pages.cancel_event), name="event-cancel"),
    path("todos/", _page(todo_pages.todos), name="todos"),
    path("todos/add/", _page(todo_pages.add_todo), name="todo-add"),
    path("todos/<str:public_id>/", _page(todo_pages.change_todo), name="todo-change"),
    path("device/", _page(device_page.device), name="device"),
    path("device/look/", _page(device_page.look), name="device-look"),
    path("device/decide/", _page(device_page.decide), name="device-decide"),
    path(_review, _page(review_page.review), name="review"),
    path(f"{_review}approve/", _page(actions.approve), name="review-approve"),
    path(f"{_review}edit/", _page(actions.edit_and_approve), name="review-edit"),
    path(f"{_review}reject/", _page(actions.reject), name="review-reject"),
    path(f"{_review}return/", _page(actions.send_back), name="review-return"),
    path(f"{_review}undo/", _page(actions.undo), name="review-undo"),
    path(f"{_review}settle/", _page(actions.settle), name="review-settle"),
    path(f"{_review}snooze/", _page(actions.snooze), name="review-snooze"),
    path(f"{_review}wake/", _page(actions.wake), name="review-wake"),
    path(f"{_review}release/", _page(actions.release), name="review-release"),
    path(f"{_review}withdraw/", _page(writing_page.withdraw), name="review-withdraw"),
    path(f"{_review}preview/", _page(review_page.preview), name="review-preview"),
    path(f"{_review}state/", _page(watching.state), name="review-state"),
    path(f"{_review}presence/", _page(watching.presence), name="review-presence"),
    path(f"{_review}record/", _page(review_page.record), name="review-record"),
    path(f"{_review}source/", _page(review_page.sealed_source), name="review-source"),
    path(f"{_review}files/<int:position>/", _page(review_page.enclosure), name="review-enclosure"),
    path(
        f"{_review}pictures/<int:position>/",
        _page(review_page.enclosed_picture),
        name="review-picture",
    ),
    *activity_urls,
]
