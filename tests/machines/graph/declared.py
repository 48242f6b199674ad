"""The types of Microsoft Graph v1.0 that the stand-in knows: what each property is called and is.

A type is `name < base: property type, …`; types are those of OData (Edm) without their prefix, and
`[T]` is a collection. `test_declared.py` compares them with Microsoft's own description where there is one.
"""

_TYPES = """
entity: id String
outlookItem < entity: categories [String], changeKey String, createdDateTime DateTimeOffset,
 lastModifiedDateTime DateTimeOffset
itemBody: content String, contentType bodyType
emailAddress: address String, name String
recipient: emailAddress emailAddress
attendeeBase < recipient: type attendeeType
attendee < attendeeBase: proposedNewTime timeSlot, status responseStatus
responseStatus: response responseType, time DateTimeOffset
timeSlot: end dateTimeTimeZone, start dateTimeTimeZone
dateTimeTimeZone: dateTime String, timeZone String
physicalAddress: city String, countryOrRegion String, postalCode String, state String, street String
outlookGeoCoordinates: accuracy Double, altitude Double, altitudeAccuracy Double, latitude Double,
 longitude Double
location: address physicalAddress, coordinates outlookGeoCoordinates, displayName String,
 locationEmailAddress String, locationType locationType, locationUri String, uniqueId String,
 uniqueIdType locationUniqueIdType
recurrencePattern: dayOfMonth Int32, daysOfWeek [dayOfWeek], firstDayOfWeek dayOfWeek,
 index weekIndex, interval Int32, month Int32, type recurrencePatternType
recurrenceRange: endDate Date, numberOfOccurrences Int32, recurrenceTimeZone String, startDate Date,
 type recurrenceRangeType
patternedRecurrence: pattern recurrencePattern, range recurrenceRange
calendar < entity: canEdit Boolean, canShare Boolean, canViewPrivateItems Boolean, changeKey String,
 color calendarColor, hexColor String, isDefaultCalendar Boolean, isRemovable Boolean,
 isTallyingResponses Boolean, name String, owner emailAddress, events [event]
event < outlookItem: allowNewTimeProposals Boolean, attendees [attendee], body itemBody,
 bodyPreview String, cancelledOccurrences [String], end dateTimeTimeZone, hasAttachments Boolean,
 hideAttendees Boolean, iCalUId String, importance importance, isAllDay Boolean,
 isCancelled Boolean, isDraft Boolean, isOnlineMeeting Boolean, isOrganizer Boolean,
 isReminderOn Boolean, location location, locations [location], onlineMeetingUrl String,
 organizer recipient, originalEndTimeZone String, originalStart DateTimeOffset,
 originalStartTimeZone String, recurrence patternedRecurrence, reminderMinutesBeforeStart Int32,
 responseRequested Boolean, responseStatus responseStatus, sensitivity sensitivity,
 seriesMasterId String, showAs freeBusyStatus, start dateTimeTimeZone, subject String,
 transactionId String, type eventType, webLink String, exceptionOccurrences [event],
 singleValueExtendedProperties [singleValueLegacyExtendedProperty]
singleValueLegacyExtendedProperty < entity: value String
contactFolder < entity: displayName String, parentFolderId String, contacts [contact]
contact < outlookItem: assistantName String, birthday DateTimeOffset,
 businessAddress physicalAddress, businessHomePage String, businessPhones [String],
 children [String], companyName String, department String, displayName String,
 emailAddresses [emailAddress], fileAs String, generation String, givenName String,
 homeAddress physicalAddress, homePhones [String], imAddresses [String], initials String,
 jobTitle String, manager String, middleName String, mobilePhone String, nickName String,
 officeLocation String, otherAddress physicalAddress, parentFolderId String, personalNotes String,
 profession String, spouseName String, surname String, title String, yomiCompanyName String,
 yomiGivenName String, yomiSurname String,
 singleValueExtendedProperties [singleValueLegacyExtendedProperty]
todoTaskList < entity: displayName String, isOwner Boolean, isShared Boolean,
 wellknownListName wellknownListName, tasks [todoTask]
todoTask < entity: body itemBody, bodyLastModifiedDateTime DateTimeOffset, categories [String],
 completedDateTime dateTimeTimeZone, createdDateTime DateTimeOffset, dueDateTime dateTimeTimeZone,
 hasAttachments Boolean, importance importance, isReminderOn Boolean,
 lastModifiedDateTime DateTimeOffset, recurrence patternedRecurrence,
 reminderDateTime dateTimeTimeZone, startDateTime dateTimeTimeZone, status taskStatus, title String,
 checklistItems [checklistItem], linkedResources [linkedResource]
checklistItem < entity: checkedDateTime DateTimeOffset, createdDateTime DateTimeOffset,
 displayName String, isChecked Boolean
baseItem < entity: createdDateTime DateTimeOffset, description String, eTag String,
 lastModifiedDateTime DateTimeOffset, name String, parentReference itemReference, webUrl String
itemReference: driveId String, driveType String, id String, name String, path String
driveItem < baseItem: cTag String, deleted deleted, file file, folder folder, root root, size Int64,
 children [driveItem]
deleted: state String
file: hashes hashes, mimeType String
hashes: crc32Hash String, quickXorHash String, sha1Hash String, sha256Hash String
folder: childCount Int32
root:
uploadSession: expirationDateTime DateTimeOffset, nextExpectedRanges [String], uploadUrl String
mailFolder < entity: childFolderCount Int32, displayName String, isHidden Boolean,
 parentFolderId String, totalItemCount Int32, unreadItemCount Int32
followupFlag: completedDateTime dateTimeTimeZone, dueDateTime dateTimeTimeZone,
 flagStatus followupFlagStatus, startDateTime dateTimeTimeZone
internetMessageHeader: name String, value String
message < outlookItem: bccRecipients [recipient], body itemBody, bodyPreview String,
 ccRecipients [recipient], conversationId String, conversationIndex Binary, flag followupFlag,
 from recipient, hasAttachments Boolean, importance importance,
 inferenceClassification inferenceClassificationType,
 internetMessageHeaders [internetMessageHeader], internetMessageId String,
 isDeliveryReceiptRequested Boolean, isDraft Boolean, isRead Boolean,
 isReadReceiptRequested Boolean, parentFolderId String, receivedDateTime DateTimeOffset,
 replyTo [recipient], sender recipient, sentDateTime DateTimeOffset, subject String,
 toRecipients [recipient], uniqueBody itemBody, webLink String,
 singleValueExtendedProperties [singleValueLegacyExtendedProperty]
attachment < entity: contentType String, isInline Boolean, lastModifiedDateTime DateTimeOffset,
 name String, size Int32
fileAttachment < attachment: contentBytes Binary, contentId String, contentLocation String
attachmentItem: attachmentType attachmentType, contentId String, contentType String,
 isInline Boolean, name String, size Int64
linkedResource < entity: applicationName String, displayName String, externalId String,
 webUrl String
"""
ENUMS: dict[str, tuple[str, ...]] = {
    "attachmentType": ("file", "item", "reference"),
    "attendeeType": ("required", "optional", "resource"),
    "bodyType": ("text", "html"),
    "calendarColor": (
        "auto", "lightBlue", "lightGreen", "lightOrange", "lightGray", "lightYellow", "lightTeal",
        "lightPink", "lightBrown", "lightRed", "maxColor",
    ),
    "dayOfWeek": (
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ),
    "eventType": ("singleInstance", "occurrence", "exception", "seriesMaster"),
    "freeBusyStatus": ("unknown", "free", "tentative", "busy", "oof", "workingElsewhere"),
    "followupFlagStatus": ("notFlagged", "complete", "flagged"),
    "importance": ("low", "normal", "high"),
    "inferenceClassificationType": ("focused", "other"),
    "locationType": (
        "default", "conferenceRoom", "homeAddress", "businessAddress", "geoCoordinates",
        "streetAddress", "hotel", "restaurant", "localBusiness", "postalAddress",
    ),
    "locationUniqueIdType": ("unknown", "locationStore", "directory", "private", "bing"),
    "recurrencePatternType": (
        "daily", "weekly", "absoluteMonthly", "relativeMonthly", "absoluteYearly",
        "relativeYearly",
    ),
    "recurrenceRangeType": ("endDate", "noEnd", "numbered"),
    "responseType": (
        "none", "organizer", "tentativelyAccepted", "accepted", "declined", "notResponded",
    ),
    "sensitivity": ("normal", "personal", "private", "confidential"),
    "taskStatus": ("notStarted", "inProgress", "completed", "waitingOnOthers", "deferred"),
    "weekIndex": ("first", "second", "third", "fourth", "last"),
    "wellknownListName": ("none", "defaultList", "flaggedEmails", "unknownFutureValue"),
}  # fmt: skip
# What actions take, by their name and what they are of.
ACTIONS = {
    ("message", "move"): {"DestinationId": "String"},
    ("message", "permanentDelete"): {},
    ("message", "send"): {},
}
# What of a type no client may write.
_READ_ONLY = """
event: id bodyPreview cancelledOccurrences changeKey createdDateTime exceptionOccurrences
 hasAttachments iCalUId isCancelled isDraft isOrganizer lastModifiedDateTime locations
 onlineMeetingUrl organizer originalEndTimeZone originalStart originalStartTimeZone responseStatus
 seriesMasterId type webLink
attendee: proposedNewTime
fileAttachment: id lastModifiedDateTime size
contact: id changeKey createdDateTime lastModifiedDateTime parentFolderId
mailFolder: id childFolderCount parentFolderId totalItemCount unreadItemCount
message: id bodyPreview changeKey conversationId conversationIndex createdDateTime hasAttachments
 isDraft lastModifiedDateTime parentFolderId receivedDateTime sentDateTime uniqueBody webLink
todoTask: id bodyLastModifiedDateTime createdDateTime hasAttachments lastModifiedDateTime
linkedResource: id
driveItem: id cTag createdDateTime deleted eTag lastModifiedDateTime root size webUrl
checklistItem: id createdDateTime
"""
# What of a type no client may write.
READ_ONLY = {
    name: frozenset(rest.split())
    for name, _, rest in (
        line.partition(":") for line in _READ_ONLY.replace("\n ", " ").strip().splitlines()
    )
}


def _read(text: str) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    types: dict[str, dict[str, str]] = {}
    bases: dict[str, str] = {}
    for line in text.replace("\n ", " ").strip().splitlines():
        head, _, rest = line.partition(":")
        name, _, base = (part.strip() for part in head.partition("<"))
        bases[name] = base
        types[name] = dict(each.split() for each in rest.split(",") if each.strip())
    return types, bases


OWN, BASES = _read(_TYPES)


def properties(name: str) -> dict[str, str]:
    """Return the properties of a type, those of its bases too."""
    found: dict[str, str] = {}
    while name:
        found = {**OWN[name], **found}
        name = BASES[name]
    return found
