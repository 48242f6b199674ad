"""The tools, by family.

Made by `python manage.py reference`; change the declarations instead.
"""

from .accounts import Accounts
from .calendar import Calendar
from .concierge import Concierge
from .contacts import Contacts
from .emails import Emails
from .files import Files
from .house import House
from .mail import Mail
from .mesh import Mesh
from .services import Services


class Operations(Accounts, Calendar, Contacts, Emails, Files):
    """Each operation by itself: accounts, calendars, contacts, files and emails."""


__all__ = ["Concierge", "House", "Mail", "Mesh", "Operations", "Services"]
