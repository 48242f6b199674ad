"""People and their cards: looked up, written, merged, restored, read and written as vCards."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from inbox.actor import Actor, system_actor
from inbox.admin.base import KeptInline
from inbox.admin.forms import OperationForm
from inbox.admin.messages.downloads import as_download
from inbox.admin.refusals import words_of
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.admin.searching import MOST_FOUND, Found, SearchedAdmin
from inbox.errors import DomainError
from inbox.formats.vcard import LARGEST
from inbox.models import Account, Correspondence, Person, PersonEmail, PhoneKind
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import merge_people, restore_contact, update_contact
from inbox.operations.contacts.vcards import export_cards, import_cards, with_card_rows
from inbox.search.people import find_people
from inbox.templatetags.chancery import address, mail, when
from inbox.viewer import viewer_of

_MOST_EXPORTED = 5000
_TEXTS = (
    "fn", "name_prefix", "given_name", "additional_names", "family_name", "name_suffix", "org",
    "department", "title", "note",
)  # fmt: skip


class PersonForm(OperationForm):
    """A card; addresses and numbers stand one on a line."""

    addresses = forms.CharField(
        required=False,
        label=_("Addresses"),
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "One per line. Once saved, these addresses are known, and messages to them are not "
            "flagged as going to someone new."
        ),
    )
    numbers = forms.CharField(
        required=False, label=_("Numbers"), widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One per line, starting with its kind: business, home, mobile, fax or other."),
    )  # fmt: skip

    class Meta:
        model = Person
        fields = _TEXTS
        labels = {"fn": _("Name"), "org": _("Organization")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            emails = self.instance.emails.filter(workspace_id=self.instance.workspace_id)
            rows = emails.kept().order_by("position", "pk")
            phones = self.instance.phones.order_by("position", "pk")
            self.initial["addresses"] = "\n".join(row.email for row in rows)
            self.initial["numbers"] = "\n".join(f"{row.kind} {row.number}" for row in phones)

    def perform(self) -> Model:
        """Write the card."""
        changes = CardChanges(
            **{name: self.cleaned_data[name] for name in _TEXTS},
            emails=[CardEmail(line) for line in _lines(self.cleaned_data["addresses"])],
            phones=self._phones(),
        )
        actor = self.by.within(self.instance.workspace_id)
        try:
            return update_contact(actor=actor, person=self.instance, changes=changes)
        except DomainError as error:
            name = error.field.partition("/")[0]
            field = {"emails": "addresses", "phones": "numbers"}.get(name, name)
            raise DomainError(
                error.code, error.message, field=field, accepted=error.accepted
            ) from error

    def _phones(self) -> dict[str, list[str]]:
        """Return the numbers of every kind: what is on no line is taken away."""
        phones: dict[str, list[str]] = {kind: [] for kind in PhoneKind.values}
        for line in _lines(self.cleaned_data["numbers"]):
            kind, _blank, number = line.partition(" ")
            known = kind.lower() in phones and number
            phones[kind.lower() if known else PhoneKind.OTHER].append(number if known else line)
        return phones


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


class CardFile(forms.Form):
    """A file of cards, and whose address book it goes into."""

    account = forms.ModelChoiceField(Account.objects.none(), empty_label=None, label=_("Account"))
    file = forms.FileField(label=_("vCard file (.vcf)"))

    def clean_file(self) -> Any:
        """Refuse a file that is too large to be read."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST:
            words = gettext("It is larger than %(number)s MB.")
            raise forms.ValidationError(words % {"number": LARGEST // 2**20})
        return file


class AddressesInline(KeptInline):
    """Every address, those that were taken off the card too, with the mail there was with it."""

    model = PersonEmail
    verbose_name_plural = _("addresses")
    fields = (
        "email", "kind", "by_person", "received_count", "sent_count", "last_contact_at",
        "removed_at",
    )  # fmt: skip
    readonly_fields = fields
    ordering = ("position", "pk")


class AccountsInline(KeptInline):
    """The accounts that are in touch with somebody, or keep their card."""

    model = Correspondence
    verbose_name_plural = _("accounts")
    fields = ("account", "received_count", "sent_count", "last_contact_at")
    readonly_fields = fields


@admin.register(Person)
class PersonRows(SearchedAdmin, RestoringAdmin):
    """Whom we write with and who has a card, most contacted first."""

    searched_as = "people"
    form = PersonForm
    list_display = ("name_line", "email_line", "org", "received_count", "sent_count", "last")
    list_display_links = None
    list_filter = (DeletedFilter,)
    search_fields = ("fn", "emails__email", "org", "phones__number")
    ordering = ("-contact_count", "-id")
    actions = ("merge_chosen", "export_chosen", "restore_chosen")
    may_change = True
    fieldsets = (
        (None, {"fields": ("fn", ("given_name", "family_name"), "addresses", "numbers")}),
        (_("Work"), {"fields": ("org", "department", "title")}),
        (_("More"), {"fields": (("name_prefix", "additional_names", "name_suffix"), "note")}),
    )
    inlines = (AddressesInline, AccountsInline)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Tell the form who acts: what a person saves is theirs."""
        made: Any = super().get_form(request, obj, change, **kwargs)
        made.by = viewer_of(request).actor
        return made

    def found(self, actor: Actor, query: str) -> Found:
        """Return who is found, those with every word first; raises DomainError."""
        every, some = find_people(actor=actor, query=query, limit=MOST_FOUND)
        return Found([*every, *some], {})

    def restore(self, row: Any) -> None:
        """Bring somebody back with their card."""
        restore_contact(actor=system_actor(row.workspace_id, "Restoring"), person=row)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners, while the person is there."""
        is_there = obj is None or obj.deleted_at is None
        return is_there and super().has_change_permission(request, obj)

    @admin.action(description=_("Merge duplicates"), permissions=["change"])
    def merge_chosen(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Make one person of those chosen, who must be of one workspace."""
        people = list(rows.filter(deleted_at=None).order_by("-contact_count", "pk")[:20])
        workspaces = {person.workspace_id for person in people}
        if len(people) < 2 or len(workspaces) > 1:
            self.message_user(
                request, _("Choose two or more from the same workspace."), messages.ERROR
            )
            return
        if not viewer_of(request).may_manage(people[0].workspace_id):
            raise PermissionDenied
        actor = system_actor(people[0].workspace_id, "Cards")
        try:
            with transaction.atomic():
                into = people[0]
                for other in people[1:]:
                    into = merge_people(actor=actor, into=into, other=other)
        except DomainError as error:
            self.message_user(request, words_of(error), messages.ERROR)
            return
        words = gettext("%(number)s were merged: %(name)s.") % {"number": len(people), "name": into}
        self.message_user(request, words, messages.SUCCESS)

    @admin.action(description=_("Download as vCard"), permissions=["view"])
    def export_chosen(self, request: HttpRequest, rows: Any) -> HttpResponse:
        """Hand the chosen people's cards out as one file."""
        people = with_card_rows(viewer_of(request).actor, rows)[:_MOST_EXPORTED]
        return as_download(export_cards(people), "people.vcf", "text/vcard; charset=utf-8")

    def get_urls(self) -> list[Any]:
        """Add the page that reads a file of cards."""
        page = self.admin_site.admin_view(require_http_methods(["GET", "POST"])(self.read_file))
        return [path("import/", page, name="inbox_person_import"), *super().get_urls()]

    def read_file(self, request: HttpRequest) -> HttpResponse:
        """Ask for a file of cards and read it into an account's address book."""
        viewer = viewer_of(request)
        if not viewer.managed:
            raise PermissionDenied
        form = CardFile(request.POST or None, request.FILES or None)
        chosen: Any = form.fields["account"]
        chosen.queryset = Account.objects.filter(workspace__in=viewer.managed).order_by("address")
        if request.method == "POST" and form.is_valid() and self._take_in(request, form):
            return HttpResponseRedirect(reverse("admin:inbox_person_changelist"))
        context = {
            **self.admin_site.each_context(request),
            "title": _("Import contacts"),
            "form": form,
        }
        return TemplateResponse(request, "chancery/people/import_vcards.html", context)

    def _take_in(self, request: HttpRequest, form: CardFile) -> bool:
        account = form.cleaned_data["account"]
        actor = viewer_of(request).actor.within(account.workspace_id)
        try:
            read = import_cards(actor=actor, account=account, data=form.cleaned_data["file"].read())
        except DomainError as error:
            form.add_error("file", words_of(error))
            return False
        words = gettext("%(made)s new, %(completed)s completed.") % {
            "made": read.made,
            "completed": read.completed,
        }
        self.message_user(request, words, messages.SUCCESS)
        for place, why in read.refused[:20]:
            words = gettext("Card %(place)s: %(why)s") % {"place": place, "why": why}
            self.message_user(request, words, messages.WARNING)
        return True

    @admin.display(description=_("name"), ordering="fn")
    def name_line(self, person: Person) -> SafeString:
        """The name they go by, leading to their page."""
        place = reverse("person", args=[person.public_id])
        return format_html(
            '<a href="{}">{}</a>', place, mail(person.fn or gettext("(no name)"), 120)
        )

    @admin.display(description=_("address"), ordering="email")
    def email_line(self, person: Person) -> SafeString:
        """Their first address."""
        return address(person.email)

    @admin.display(description=_("last contact"), ordering="last_contact_at")
    def last(self, person: Person) -> SafeString:
        """When we last heard of each other."""
        return when(person.last_contact_at)
