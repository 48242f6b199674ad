"""The names of elements and properties, as ElementTree writes them."""

DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"
CARDDAV = "{urn:ietf:params:xml:ns:carddav}"
CALSERVER = "{http://calendarserver.org/ns/}"
APPLE = "{http://apple.com/ns/ical/}"
OWNCLOUD = "{http://owncloud.org/ns}"

COLLECTION = f"{DAV}collection"
CALENDAR = f"{CALDAV}calendar"
ADDRESSBOOK = f"{CARDDAV}addressbook"
# What lies in a home beside calendars and address books.
NOT_FOR_US = frozenset(
    {
        f"{CALDAV}schedule-inbox",
        f"{CALDAV}schedule-outbox",
        f"{CALSERVER}notification",
        f"{CALSERVER}dropbox-home",
        # Nextcloud's, of what was thrown away.
        "{http://nextcloud.com/ns}deleted-calendar",
        "{http://nextcloud.com/ns}trash-bin",
        f"{DAV}principal",
    }
)

CALENDAR_DATA = f"{CALDAV}calendar-data"
ADDRESS_DATA = f"{CARDDAV}address-data"
CALENDAR_HOME = f"{CALDAV}calendar-home-set"
ADDRESSBOOK_HOME = f"{CARDDAV}addressbook-home-set"
COMPONENTS = f"{CALDAV}supported-calendar-component-set"
DEFAULT_CALENDAR = f"{CALDAV}schedule-default-calendar-URL"
ADDRESSES = f"{CALDAV}calendar-user-address-set"
PRINCIPAL = f"{DAV}current-user-principal"
PRIVILEGES = f"{DAV}current-user-privilege-set"
REPORTS = f"{DAV}supported-report-set"
SYNC_COLLECTION = f"{DAV}sync-collection"
SYNC_TOKEN = f"{DAV}sync-token"
CTAG = f"{CALSERVER}getctag"
ETAG = f"{DAV}getetag"
TYPE = f"{DAV}getcontenttype"
LENGTH = f"{DAV}getcontentlength"
MODIFIED = f"{DAV}getlastmodified"
RESOURCE_TYPE = f"{DAV}resourcetype"
DISPLAY_NAME = f"{DAV}displayname"
COLOR = f"{APPLE}calendar-color"
FILE_ID = f"{OWNCLOUD}fileid"
HREF = f"{DAV}href"
