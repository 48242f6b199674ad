"""Mail that is followed by change tokens: noted, read and told (`MailChangeStore`)."""
