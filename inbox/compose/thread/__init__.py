"""What a thread lends a reply: who asks what, times proposed, things spoken of, facts at hand."""
