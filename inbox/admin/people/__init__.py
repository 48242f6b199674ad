"""People in the admin: their lists, and the page of one."""
